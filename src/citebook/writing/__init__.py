"""Words around and by a language model: prompts, lines, follow-ups, replies."""
