"""Whether each word of a claim stands where its quote has it."""
