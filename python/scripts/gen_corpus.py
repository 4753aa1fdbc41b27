from pathlib import Path
def outputs(root: Path): return {}, []
