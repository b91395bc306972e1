"""Which experts have a say beside the model, and how much: their opinions are multiplied with its own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Experts:
    """The weights of the experts. Tools with examples are chosen and filled with the help of those, as ever."""

    relevance: float = 1.0
    """λ of P_LM · P_F^λ over tools and "answer", for tools without examples; 0 leaves the choice to the model alone."""
    answer_from: float = 0.5
    """Probability of "answer", 0 to 1, from which no tool is called: lower answers more, higher calls more."""
    grounding: bool = True
    """Whether words and numbers of the request are preferred in values, and unsaid optional ones are left out."""

    def __post_init__(self) -> None:
        """Refuse weights that make no sense.

        Raises:
            ValueError: a weight is outside its range.
        """
        if self.relevance < 0:
            msg = f"relevance={self.relevance} is below 0: use 0 for the model alone, or a positive weight."
            raise ValueError(msg)
        if not 0 < self.answer_from <= 1:
            msg = f"answer_from={self.answer_from} is no probability above 0: use 0.5, or 1 to call always."
            raise ValueError(msg)


MODEL_ALONE = Experts(relevance=0.0, grounding=False)
"""Nothing but the masks and the model's own calibrated opinion."""
