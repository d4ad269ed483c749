-- Why a reader thought little of an answer; NULL where they did not say.
ALTER TABLE answer_feedback ADD COLUMN reason TEXT CHECK (reason IN ('wrong', 'incomplete', 'off_topic', 'unclear'));
