"""What an answer cost, in tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citebook.domain.limits import TokenUsage


class TestTokenUsage:
    def test_counts_from_0(self) -> None:
        assert TokenUsage() == TokenUsage(input=0, output=0, total=0)

    @pytest.mark.parametrize(("used", "made", "total"), [(-1, 1, 0), (1, -1, 0), (0, -1, -1)])
    def test_counts_nothing_below_0(self, used: int, made: int, total: int) -> None:
        with pytest.raises(ValidationError):
            TokenUsage(input=used, output=made, total=total)

    @given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(-1, 1))
    def test_the_total_is_exactly_the_sum(self, used: int, made: int, off_by: int) -> None:
        total = used + made + off_by
        if off_by == 0:
            assert TokenUsage(input=used, output=made, total=total).total == total
        else:
            with pytest.raises(ValidationError):
                TokenUsage(input=used, output=made, total=total)
