"""Helpers of the mutation gate: schemas with one assertion changed, and the cases that must notice."""
