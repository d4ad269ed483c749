"""What each measured figure means, in a sentence for whoever reads a report."""

MEANINGS = {
    "recall@1": "Questions whose right place is the first that is found.",
    "recall@5": "Questions whose right place is among the first five.",
    "recall@10": "Questions whose right place is among the first ten.",
    "mrr@10": "1 where the right place comes first, 1/2 where second, and so on.",
    "ndcg@10": "How near to the top all right places stand; 1 is the best order.",
    "hybrid_best": "Whether both methods of search together find more than either alone.",
    "answer_contains_gold": "Answers that have the expected words, of all that could.",
    "first_sentence_contains_gold": "The same of the first sentence alone.",
    "answered_contains_gold": "The same, only of questions that were answered.",
    "citation_precision": "Citations that prove what was expected, of all that were given.",
    "citation_recall": "Answers with at least one such citation.",
    "citation_in_gold_place": "Citations in the very place that was expected.",
    "verbatim": "Excerpts that are the book's text to the letter.",
    "claims_quoted": "Claims that are told in the book's own words.",
    "refused_unanswerable": "Questions without an answer in the book that were refused.",
    "false_refusals": "Questions with an answer in the book that were refused.",
    "refused_at_5_false_refusals": "Refused of those without an answer, if 5 % of the others may be refused too.",
    "failed": "Questions that ended in an error.",
    "auroc": "How well confidence tells what is answerable from what is not; 0.5 is guessing.",
    "ece": "How far confidence is from the share that is right; 0 keeps its word.",
    "ece_by_words": "The same, where only the expected words count as right.",
    "brier": "The squared distance of confidence from right (1) and wrong (0); less is better.",
    "right_above_0.85": "Answers that are right, of those with a confidence above 0.85.",
    "right_0.70_to_0.85": "The same from 0.70 to 0.85.",
    "right_below_0.70": "The same below 0.70.",
    "p50": "Half of the answers took no longer than this.",
    "p95": "All but one in twenty took no longer than this.",
}


def meaning_of(name: str) -> str:
    """Nothing where the name is not known."""
    return MEANINGS.get(name, "")
