"""English words that the checks of a claim look for."""

NEGATIONS = frozenset(
    """not no never without neither nor none nobody nothing nowhere cannot hardly barely scarcely rarely seldom
    fail fails failed failing lack lacks lacked lacking unable""".split()
)

QUANTIFIERS = frozenset(
    """all every always only never must none entirely completely exclusively solely guarantee guarantees any fully
    everyone everything impossible certainly definitely best worst most least first""".split()
)

HEDGES = frozenset(
    """may might could can some often usually sometimes typically generally likely possibly perhaps probably about
    approximately roughly nearly almost seem seems suggest suggests""".split()
)

OWN_VOICE = frozenset("i me my mine myself we our ours you your yours".split())

OPPOSITES = (
    ("increase grow rise raise gain up higher upward", "decrease shrink fall drop decline reduce lower loss down"),
    ("more many greater larger bigger increase", "less fewer few smaller decrease"),
    ("most", "least"),
    ("max maximum maximal maximise maximize", "min minimum minimal minimise minimize"),
    ("before earlier previous prior", "after later next subsequent"),
    ("left", "right"),
    ("above over top upper", "below under beneath bottom lower"),
    ("always", "never sometimes rarely occasionally"),
    ("all every each always", "none some few no"),
    ("begin beginning start first initial", "end ending finish stop last final"),
    ("open", "close closed shut"),
    ("fast faster quick rapid quickly rapidly", "slow slower slowly"),
    ("strong stronger strengthen", "weak weaker weaken"),
    ("hot warm warmer heat", "cold cool cooler"),
    ("long longer lengthen", "short shorter shorten"),
    ("big large high great", "small little tiny low"),
    ("early", "late"),
    ("old older", "new newer young younger"),
    ("good better best positive", "bad worse worst negative poor"),
    (
        "accept approve agree allow permit enable",
        "reject disapprove disagree deny forbid prohibit prevent disable refuse",
    ),
    ("allow enable cause help", "prevent stop block hinder avoid"),
    ("true right correct", "false wrong incorrect"),
    ("win won victory succeed success", "lose lost defeat fail failure"),
    ("easy easier simple simpler", "hard harder difficult complex complicated"),
    ("add attach include", "remove subtract detach exclude"),
    ("internal inside inner indoor", "external outside outer outdoor"),
    ("input", "output"),
    ("sender transmitter", "receiver"),
    ("same similar identical alike", "different opposite distinct"),
    ("public", "private"),
    ("rich", "poor"),
    ("near close nearby", "far distant"),
    ("heavy heavier", "light lighter"),
    ("wide wider broad", "narrow narrower"),
    ("thick thicker", "thin thinner"),
    ("deep", "shallow"),
    ("local", "global remote"),
    ("static fixed constant", "dynamic variable changing"),
    ("single", "multiple several"),
    ("absolute", "relative"),
    ("linear", "nonlinear"),
    ("discrete", "continuous"),
    ("serial sequential", "parallel concurrent"),
    ("synchronous", "asynchronous"),
    ("active", "passive inactive"),
    ("male man", "female woman"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("horizontal", "vertical"),
    ("clockwise", "counterclockwise anticlockwise"),
    ("forward", "backward"),
    ("push", "pull"),
    ("attract", "repel"),
    ("expand", "contract compress"),
    ("create build construct", "destroy demolish delete"),
    ("connect connected", "disconnect disconnected separate"),
    ("lock", "unlock"),
    ("load", "unload"),
    ("import", "export"),
    ("ancestor parent", "descendant child"),
    ("cheap cheaper inexpensive", "expensive costly"),
    ("safe", "dangerous unsafe"),
    ("rare rarely seldom", "common often frequent frequently usually"),
    ("required mandatory necessary", "optional unnecessary"),
    ("buy purchase", "sell"),
    ("profit earnings", "loss losses"),
    ("credit", "debit"),
    ("alive live survive", "dead die"),
    ("day", "night"),
    ("love like", "hate dislike"),
    ("remember", "forget"),
    ("full", "empty"),
    ("presence present", "absence absent"),
    ("superior", "inferior"),
    ("upstream", "downstream"),
    ("ascending", "descending"),
    ("overestimate", "underestimate"),
    ("majority", "minority"),
    ("odd", "even"),
    ("both", "neither"),
    ("with", "without"),
    ("support endorse", "oppose criticise criticize"),
)

OPPOSITE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis")

SYMMETRIC = frozenset("between meet equal resembl similar marri differ versus".split())

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
} | {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}

TENS = {
    word: value
    for value, word in zip(
        range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split(), strict=True
    )
}

MAGNITUDES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "bn": 10**9,
    "mn": 10**6,
}

_SPELLINGS = (
    "% percent pct per-cent",
    "kg kilogram kilograms kilo kilos",
    "g gram grams",
    "mg milligram milligrams",
    "km kilometre kilometres kilometer kilometers",
    "m metre metres meter meters",
    "cm centimetre centimetres centimeter centimeters",
    "mm millimetre millimetres millimeter millimeters",
    "ft foot feet",
    "mile miles",
    "lb lbs pound pounds",
    "s sec second seconds",
    "ms millisecond milliseconds",
    "min minute minutes",
    "h hour hours hr hrs",
    "day days",
    "week weeks",
    "month months",
    "year years",
    "Hz hertz",
    "kHz kilohertz",
    "MHz megahertz",
    "GHz gigahertz",
    "V volt volts",
    "W watt watts",
    "kW kilowatt kilowatts",
    "A amp amps ampere amperes",
    "N newton newtons",
    "J joule joules",
    "Pa pascal pascals",
    "KB kilobyte kilobytes",
    "MB megabyte megabytes",
    "GB gigabyte gigabytes",
    "TB terabyte terabytes",
    "° degree degrees",
    "°C celsius",
    "°F fahrenheit",
    "dollar dollars",
    "euro euros",
)

UNITS = {spelling: line.split()[0] for line in _SPELLINGS for spelling in line.split()}
