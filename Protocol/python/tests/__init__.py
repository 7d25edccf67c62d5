"""The tests of napkin_front: `python3 -m unittest` in Protocol/python."""
