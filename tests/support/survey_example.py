"""The generator of ``example:survey``: answers of 500 invented people about their health.

Run as a script, it writes the table into the package. Only uniform random numbers are drawn, since
NumPy may change how it draws others.
"""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np

N_ROWS = 500
NAMES = "id,age,sex,education,job,income,smoking,exercise,bmi,health"
TARGET = Path(__file__).parents[2] / "src" / "forebear" / "data" / "examples" / "survey.csv.gz"


class Person:
    """One respondent: every answer is drawn given earlier ones."""

    def __init__(self, number: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self.id = number
        self.age = int(18 + 66 * rng.random() ** 1.1)
        self.sex = self._choose(female=51, male=49)
        self.education = self._education()
        self.job = self._job()
        self.income = self._income()
        self.smoking = self._smoking()
        self.exercise = self._exercise()
        self.bmi = self._bmi()
        self.health = self._health()

    def row(self) -> list[Any]:
        """Return the answers; some were not given."""
        refused = 0.2 if self.income > 4000 or self.job == "self_employed" else 0.06
        answers = [getattr(self, name) for name in NAMES.split(",")]
        hidden = {"income": refused, "smoking": 0.03, "bmi": 0.05}
        for name, share in hidden.items():
            if self._rng.random() < share:
                answers[NAMES.split(",").index(name)] = ""
        return answers

    def _choose(self, **weights: float) -> str:
        """Draw a state by its weight."""
        at = self._rng.random() * sum(weights.values())
        for state, weight in weights.items():
            at -= weight
            if at < 0:
                return state
        return state

    def _noise(self) -> float:
        """Draw a number around 0 with a deviation of about 1."""
        return float(self._rng.random(4).sum() - 2.0) * math.sqrt(3.0)

    def _education(self) -> str:
        if self.age < 22:
            return self._choose(low=25, mid=70, high=5)
        return self._choose(low=15 + max(0, self.age - 45), mid=50, high=38 - 0.3 * self.age + 10)

    def _job(self) -> str:
        if self.age >= 66:
            return self._choose(retired=92, employed=4, self_employed=4)
        if self.age < 26:
            return self._choose(student=55, employed=38, unemployed=7)
        out = {"low": 16, "mid": 7, "high": 3}[self.education]
        own = {"low": 6, "mid": 9, "high": 15}[self.education]
        return self._choose(employed=75, self_employed=own, unemployed=out)

    def _income(self) -> int:
        """Draw the net income per month, in tens of euros."""
        usual = {"student": 850, "unemployed": 1050, "retired": 1650, "employed": 2200}
        level = float(usual.get(self.job, 2500))
        if self.job not in ("student", "unemployed"):
            level *= {"low": 0.78, "mid": 1.0, "high": 1.5}[self.education]
        spread = 0.45 if self.job == "self_employed" else 0.22
        return 10 * round(level * math.exp(spread * self._noise()) / 10)

    def _smoking(self) -> str:
        current = {"low": 60, "mid": 25, "high": 8}[self.education]
        former = 8 + 0.4 * (self.age - 18)
        late = 0.5 if self.age > 65 else 1.0
        return self._choose(never=60, former=former, current=current * late)

    def _exercise(self) -> str:
        if self.age > 60:
            return self._choose(rarely=50, weekly=35, daily=15)
        active = 60 if self.smoking != "current" else 15
        return self._choose(rarely=30, weekly=active, daily=active / 2)

    def _bmi(self) -> float:
        shift = {"rarely": 2.8, "weekly": 0.0, "daily": -2.2}[self.exercise]
        return round(24.5 + 0.035 * (self.age - 45) + shift + 2.2 * self._noise(), 1)

    def _health(self) -> str:
        burden = 0.06 * (self.age - 45) + 0.15 * (self.bmi - 25)
        burden += 2.5 * (self.smoking == "current") - 1.5 * (self.exercise == "daily")
        poor, fair, good = burden - 1.4, 0.5 * burden, 0.6 - 0.5 * burden
        return self._choose(poor=math.exp(poor), fair=math.exp(fair), good=math.exp(good))


def survey_text() -> str:
    """Return the table as CSV."""
    rng = np.random.default_rng(20240407)
    rows = [Person(number, rng).row() for number in range(1, N_ROWS + 1)]
    return "\n".join([NAMES, *(",".join(map(str, row)) for row in rows)]) + "\n"


if __name__ == "__main__":
    TARGET.write_bytes(gzip.compress(survey_text().encode(), mtime=0))
