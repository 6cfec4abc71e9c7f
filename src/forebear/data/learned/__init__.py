"""Discretization that learns: cuts that fit the dependence between the columns."""
