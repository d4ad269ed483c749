"""A confidence that refuses nothing and notes the signals of each question."""

from citebook.confidence.model import ConfidenceModel, GenerationWeights, Weighing, shipped_weights
from citebook.confidence.signals import Signals
from citebook.domain.evidence import QueryResult


class ListeningConfidence(ConfidenceModel):
    evidence_signals: Signals
    answer_signals: Signals

    def forget(self) -> None:
        self.evidence_signals, self.answer_signals = {}, {}

    def weigh(self, question: str, evidence: QueryResult) -> Weighing:
        self.forget()
        weighing = super().weigh(question, evidence)
        self.evidence_signals = weighing.asked.evidence_signals if weighing.asked else {}
        return weighing

    def generation(self, signals: Signals) -> float:
        self.answer_signals = signals
        return super().generation(signals)


def listening_confidence() -> ListeningConfidence:
    return ListeningConfidence({}, shipped_weights().weights.words_only, GenerationWeights({}, {}))
