"""A zoo of wrong implementations: the corpus and the runner must catch every one.

Most are the reference with its answers bent, so that each shows one mistake and no other, and costs
no more than the comparison. Others speak the protocol badly, or are commands with the wrong exit codes.
"""

from zoo import judging, plain, reading, recovering, speaking, values, writing
from zoo.keeper import LEVELS, Animal, Reference, bent, caught_by, levels_of, run_of

ANIMALS: tuple[Animal, ...] = (
    *judging.ANIMALS,
    *reading.ANIMALS,
    *values.ANIMALS,
    *writing.ANIMALS,
    *recovering.ANIMALS,
    *speaking.ANIMALS,
    *plain.ANIMALS,
)

__all__ = ["ANIMALS", "LEVELS", "Animal", "Reference", "bent", "caught_by", "levels_of", "run_of"]
