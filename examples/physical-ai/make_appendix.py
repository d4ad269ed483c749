#!/usr/bin/env python3
"""Write docs/module-0-appendix/chapter-0-reference-tables.pdf, the printable appendix of the textbook.

Needs fpdf2 only:  pip install fpdf2 && python make_appendix.py
Core fonts are used, so no font file is needed; Greek letters are spelled out.
"""

from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace

OUT = Path(__file__).resolve().parent / "docs/module-0-appendix/chapter-0-reference-tables.pdf"
BOOK = "Physical AI & Humanoid Robotics"

GLOSSARY_1 = [
    (
        "Absolute encoder",
        "Angle sensor that knows its position at power-on, without moving to an index mark first.",
    ),
    ("Affordance", "What an object lets an agent do with it, for example a handle that can be pulled."),
    ("Bandwidth", "Highest frequency a loop follows; usually where the response has fallen by 3 dB."),
    ("Brown-out", "A short dip of supply voltage that resets electronics without cutting power fully."),
    (
        "CAN bus",
        "Two-wire differential bus with message priority; classic CAN carries 8 data bytes at up to 1 Mbit/s.",
    ),
    ("Compliance", "Reciprocal of stiffness: displacement per unit of force."),
    ("Costmap", "Grid of travel costs on which a path planner works."),
    ("Covariance", "Matrix of the expected squared errors of an estimate and of their correlations."),
    ("Dead reckoning", "Adding up one's own motion from a known start, without outside reference."),
    ("Degree of freedom", "One independent way of moving; a rigid body in space has six."),
    ("Dither", "Small deliberate vibration that breaks static friction in a valve or gear."),
    ("Duty cycle", "Share of a period during which something is switched on."),
    (
        "Enabling device",
        "Three-position hand switch: motion is possible only in the middle position; letting go or clenching stops it.",
    ),
    (
        "EtherCAT",
        "Real-time Ethernet in which each drive reads and writes its data while the frame passes through.",
    ),
    ("Fiducial", "Printed marker of known size, such as an AprilTag, used as a reference for cameras."),
    ("Footprint", "Outline of the robot on the floor, used for collision checks."),
    (
        "Gimbal lock",
        "Loss of one rotational degree of freedom of three-angle descriptions when two axes line up.",
    ),
    ("Homing", "Driving a joint to a known stop or mark so that a relative encoder can be zeroed."),
    ("Hysteresis", "A reading that depends on whether the value was reached from above or below."),
    ("Jerk", "Rate of change of acceleration; limited in order to spare gears and payload."),
    ("Keyframe", "Camera frame kept by a mapping system because it adds new information."),
]
GLOSSARY_2 = [
    ("Latency", "Time from an event until the response to it; the spread of that time is called jitter."),
    ("Lidar", "Ranging with laser light, mostly at 905 nm or 1,550 nm wavelength."),
    ("MTBF", "Mean time between failures; the reciprocal of a constant failure rate."),
    (
        "Nyquist rate",
        "Twice the highest frequency present in a signal; sampling slower than this causes aliasing.",
    ),
    ("Odometry", "Estimate of one's own displacement from wheels, legs or cameras."),
    ("Payload", "Largest mass that may be carried at the flange, gripper included."),
    ("Proprioception", "Sensing of one's own body: joint angles, torques, inertial data."),
    ("Quaternion", "Four numbers of unit length that describe a rotation without singularity."),
    (
        "Repeatability",
        "Spread when the same pose is approached many times; differs from accuracy, the error against the true pose.",
    ),
    (
        "Rosbag",
        "Recording of topics for later playback; the default container in recent ROS 2 releases is MCAP.",
    ),
    (
        "Safe torque off",
        "Drive function that blocks the pulses to the motor, so that no torque can be made, without cutting the mains.",
    ),
    ("Singularity", "Pose in which an arm cannot move in some direction at any finite joint speed."),
    ("Slip ring", "Sliding contact that lets a joint turn endlessly while carrying current."),
    ("Stiction", "Static friction that must be overcome before motion starts."),
    ("Tare", "Setting a force reading to zero with the present load."),
    (
        "Teleoperation",
        "Driving a robot by hand from elsewhere; with delays near one second people begin to move and wait.",
    ),
    ("Twist", "Linear and angular velocity taken together, six numbers."),
    ("Watchdog", "Timer that resets or stops a system unless it is fed in time."),
    ("Wrench", "Force and moment taken together, six numbers."),
    (
        "Zero-order hold",
        "Keeping an output constant between two samples; it adds half a sample period of delay.",
    ),
]

UNITS = [
    ("1 inch", "25.4 mm (exact)", "1 foot", "0.3048 m (exact)"),
    ("1 lbf", "4.448 N", "1 kgf", "9.807 N"),
    ("1 kgf cm", "0.0981 N m", "1 ozf in", "7.062 mN m"),
    ("1 lbf ft", "1.356 N m", "1 lbf in", "0.113 N m"),
    ("1 rpm", "0.1047 rad/s", "1 degree", "17.45 mrad"),
    ("1 arcminute", "0.2909 mrad", "1 km/h", "0.2778 m/s"),
    ("1 mph", "0.447 m/s", "1 knot", "0.5144 m/s"),
    ("1 hp (mechanical)", "745.7 W", "1 hp (metric)", "735.5 W"),
    ("1 psi", "6.895 kPa", "1 bar", "100 kPa (exact)"),
    ("1 Wh", "3,600 J (exact)", "1 kcal", "4,184 J"),
    ("1 g (standard gravity)", "9.80665 m/s² (exact)", "1 gauss", "100 µT (exact)"),
]
WIRES = [
    ("22", "0.326", "2", "sensors, logic supply"),
    ("18", "0.823", "7", "finger and neck motors"),
    ("14", "2.08", "15", "arm joints"),
    ("10", "5.26", "30", "battery bus, hip joints"),
]
BOLTS = [("M3", "1.3"), ("M4", "3.0"), ("M5", "6.0"), ("M6", "10"), ("M8", "25")]

SYMBOLS = [
    ("q", "joint positions", "rad or m"),
    ("q-dot", "joint velocities", "rad/s or m/s"),
    ("tau", "joint torque", "N m"),
    ("J(q)", "Jacobian from joint to task velocities", "mixed"),
    ("M(q)", "joint-space inertia matrix", "kg m²"),
    ("R", "rotation matrix; in filters: measurement noise covariance", "-"),
    ("T", "homogeneous transform, 4 x 4", "-"),
    ("x, P", "state estimate and its covariance", "mixed"),
    ("Q", "process noise covariance", "mixed"),
    ("K", "Kalman gain; with an index: motor constants", "mixed"),
    ("z", "measurement; with index c: height of the centre of mass", "mixed; m"),
    ("omega", "angular velocity; in pendulum models: natural frequency", "rad/s"),
    ("xi", "capture point", "m"),
    ("mu", "coefficient of friction", "-"),
    ("gamma", "discount factor in learning", "-"),
    ("pi", "policy; or the number 3.14159", "-"),
    ("f, B, d", "focal length, stereo baseline, disparity", "px, m, px"),
    ("N", "gear ratio; also number of samples", "-"),
    ("CoT", "cost of transport", "-"),
]

SENSORS = [
    ("Colour camera", "30-60 Hz", "unlimited", "1-3 W", "dark, glare, no depth"),
    ("Stereo depth camera", "30-90 Hz", "0.3-10 m", "2-4 W", "blank walls"),
    ("Time-of-flight camera", "10-45 Hz", "0.1-5 m", "2-6 W", "sunlight, black cloth"),
    ("2D lidar", "5-40 Hz", "0.1-30 m", "2-8 W", "glass; sees one plane only"),
    ("3D lidar", "10-20 Hz", "0.3-100 m", "8-20 W", "glass, rain, size"),
    ("Radar, 77 GHz", "10-20 Hz", "0.2-150 m", "3-10 W", "coarse angle"),
    ("Ultrasonic, 40 kHz", "10-20 Hz", "0.02-4 m", "0.1 W", "soft or slanted surfaces"),
    ("IMU, MEMS", "100-1,000 Hz", "own motion", "under 0.1 W", "drift"),
    ("Joint encoder, 17 bit", "1-10 kHz", "one turn", "0.2 W", "magnet or disc dirt"),
    ("Force-torque, six axes", "1-7 kHz", "100-1,000 N", "1-2 W", "overload, temperature drift"),
    ("Magnetometer", "10-100 Hz", "heading", "under 0.1 W", "motors, steel"),
    ("Microphone array", "16 kHz", "1-5 m speech", "0.5 W", "fan noise, echo"),
]
IP = [
    ("IP20", "finger-safe, no protection against water", "laboratory arm"),
    ("IP54", "limited dust, splashing water from any side", "factory mobile base"),
    ("IP65", "dust-tight, water jets", "outdoor robot"),
    ("IP67", "dust-tight, one metre deep in water for 30 minutes", "feet and ankles"),
]

CHECKLIST = [
    (
        "Before power-on",
        [
            "Two people present; one of them does nothing but hold the stop.",
            "Emergency stop and enabling device tested today, not last week.",
            "Nobody within 2.5 m of the robot, nor below a raised arm.",
            "Overhead tether rated for at least five times the robot's weight and checked for wear.",
            "Bolts re-torqued after the first 10 hours of operation and paint-marked.",
            "Battery between 20 % and 95 %, with no swelling, smell or dent.",
        ],
    ),
    (
        "First motion after a change",
        [
            "Torque limited to 30 % and speed limited to 10 % of the rated values.",
            "One joint at a time: check its sign, its zero and its soft limits.",
            "Watchdog tested by pulling the network plug while the robot is moving slowly.",
            "Logging switched on, with the software version noted.",
        ],
    ),
    (
        "During operation",
        [
            "Ear protection where noise exceeds 85 dB(A).",
            "No loose hair, lanyards or gloves near belts and fingers.",
            "Stop when housing temperature exceeds 70 °C or when a new noise appears.",
        ],
    ),
    (
        "Shutdown and storage",
        [
            "Robot seated or hung before power is removed.",
            "Wait 5 minutes before opening a drive; the capacitors keep their charge.",
            "Lithium packs stored at 40 to 60 % charge, and charged only between 0 and 45 °C.",
            "Every near miss written down on the same day.",
        ],
    ),
]


class Appendix(FPDF):
    def footer(self):
        self.set_y(-14)
        self.set_font("Helvetica", "", 8)
        self.set_text_color(110)
        self.cell(0, 6, f"{BOOK} - Appendix - page {self.page_no()}", align="C")
        self.set_text_color(0)

    def page_heading(self, text, lead):
        self.add_page()
        self.set_font("Helvetica", "B", 17)
        self.cell(0, 10, text, new_x="LMARGIN", new_y="NEXT")
        self.start_section(text)
        self.set_font("Helvetica", "", 10)
        self.multi_cell(0, 5, lead, new_x="LMARGIN", new_y="NEXT")
        self.ln(3)

    def sub(self, text):
        self.ln(3)
        self.set_font("Helvetica", "B", 12)
        self.cell(0, 7, text, new_x="LMARGIN", new_y="NEXT")
        self.set_font("Helvetica", "", 10)

    def grid(self, head, rows, widths, size=10, line=6.6):
        self.set_font("Helvetica", "", size)
        with self.table(
            col_widths=widths,
            line_height=line,
            text_align="LEFT",
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            headings_style=FontFace(emphasis="BOLD", fill_color=(232, 238, 245)),
        ) as t:
            t.row(head)
            for r in rows:
                t.row(r)
        self.set_font("Helvetica", "", 10)


def main():
    pdf = Appendix(format="A4")
    pdf.set_title(f"{BOOK}: Appendix, reference tables")
    pdf.set_author("The authors of the book")
    pdf.set_lang("en-GB")
    pdf.set_creation_date(datetime(2025, 1, 1, tzinfo=UTC))
    pdf.set_margins(18, 16, 18)
    pdf.set_auto_page_break(True, margin=18)

    pdf.page_heading(
        "Appendix A: Glossary, A to K",
        "Short working definitions. Terms that have a chapter of their own are explained there at length.",
    )
    pdf.grid(("Term", "Meaning"), GLOSSARY_1, (24, 76), 10.5, 6.4)

    pdf.page_heading("Appendix A: Glossary, L to Z", "Continued from the previous page.")
    pdf.grid(("Term", "Meaning"), GLOSSARY_2, (24, 76), 10.5, 6.4)

    pdf.page_heading(
        "Appendix B: Unit Conversions",
        "The book uses SI units throughout. Data sheets of motors, hobby servos and hydraulic parts often do not.",
    )
    pdf.grid(("Unit", "SI value", "Unit", "SI value"), UNITS, (25, 27, 22, 26))
    pdf.sub("Copper wire for robot harnesses")
    pdf.grid(("AWG", "Area, mm²", "Guide current in a bundle, A", "Typical use"), WIRES, (12, 18, 34, 36))
    pdf.sub("Tightening torque, steel bolts of class 8.8, dry")
    pdf.grid(("Thread", "Torque, N m (approximate)"), BOLTS, (30, 70))
    pdf.set_font("Helvetica", "", 9)
    pdf.ln(2)
    pdf.multi_cell(
        0,
        4.6,
        "In aluminium take about 60 % of these torques, or use thread inserts. "
        "Medium-strength thread locker is the rule for everything that vibrates.",
    )

    pdf.page_heading(
        "Appendix C: Symbols and Notation",
        "Greek letters are spelled out here. Vectors are columns; angles are in radians unless marked. "
        "A quaternion is written in the order x, y, z, w, as in ROS messages; several "
        "mathematics libraries put w first.",
    )
    pdf.grid(("Symbol", "Meaning", "Unit"), SYMBOLS, (16, 62, 22), 10.5, 7.2)
    pdf.sub("Frame names")
    pdf.multi_cell(
        0,
        5,
        "map: fixed to the world, may jump. odom: continuous, drifts. base_link: fixed to the pelvis. "
        "base_footprint: projection of base_link on the floor. l_sole and r_sole: under the feet, "
        "at the centre of each sole. tool0: at the wrist flange, without the gripper.",
    )

    pdf.page_heading(
        "Appendix D: Sensor Comparison",
        "Typical values of parts sold for mobile robots; single products can lie outside these ranges.",
    )
    pdf.grid(("Sensor", "Rate", "Range", "Power", "Weak against"), SENSORS, (26, 17, 17, 14, 26))
    pdf.sub("Notes")
    pdf.multi_cell(
        0,
        5,
        "Radar is the only one in the table that measures radial velocity directly, and it sees through "
        "fog and dust. An ultrasonic beam is about 15 degrees wide, so it tells that something is there "
        "but hardly where. A 17-bit encoder resolves 131,072 steps per turn, or 0.0027 degrees. "
        "The Earth's magnetic field is only 25 to 65 µT, and a motor cable can produce as much.",
    )
    pdf.sub("Protection codes")
    pdf.grid(("Code", "Protects against", "Usual for"), IP, (14, 56, 30))

    pdf.page_heading(
        "Appendix E: Safety Checklist",
        "For laboratory work with a humanoid or a legged robot. Copy this page, tick each line, sign and date it.",
    )
    for title, items in CHECKLIST:
        pdf.sub(title)
        for it in items:
            pdf.set_x(pdf.l_margin + 2)
            pdf.rect(pdf.get_x(), pdf.get_y() + 1, 3, 3)
            pdf.set_x(pdf.get_x() + 6)
            pdf.multi_cell(0, 6.6, it, new_x="LMARGIN", new_y="NEXT")
    pdf.sub("In case of a battery fire")
    pdf.multi_cell(
        0,
        5,
        "Leave the room, close the door and call the fire brigade. Lithium cells make their own oxygen, so a "
        "carbon dioxide extinguisher does not stop them; plenty of water cools them. The smoke is poisonous. "
        "A pack that seems to be out may flare up again up to 24 hours later.",
    )
    pdf.ln(4)
    pdf.cell(0, 6, "Date: ____________    Name: ______________________    Signature: ______________________")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    pdf.output(str(OUT))
    print(OUT, pdf.page_no(), "pages")


if __name__ == "__main__":
    main()
