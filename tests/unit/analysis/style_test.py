"""What all figures have in common."""

import unittest

import context  # noqa: F401  (finds the package)
from holdfast_analysis import style


class Legend(unittest.TestCase):
    def drawn(self, names):
        drawn, axis = style.pyplot.subplots(figsize=(7, 4), layout="constrained")
        self.addCleanup(style.pyplot.close, drawn)
        for i, name in enumerate(names):
            axis.plot([0, 1], [i, i], label=name)
        style.legend_below(drawn, [axis], 5)
        drawn.draw_without_rendering()
        return drawn

    def test_of_many_long_names_is_no_wider_than_the_figure(self):
        drawn = self.drawn([f"a name of some length, number {i}" for i in range(14)])
        self.assertLessEqual(drawn.legends[0].get_window_extent().width, drawn.bbox.width)

    def test_of_short_names_has_as_many_columns_as_it_may(self):
        drawn = self.drawn("abcdefg")
        places = {round(text.get_window_extent().x0) for text in drawn.legends[0].get_texts()}
        self.assertEqual(len(places), 5)


if __name__ == "__main__":
    unittest.main()
