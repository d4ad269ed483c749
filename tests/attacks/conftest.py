"""The service of the contracts' tests: attackers meet what readers meet."""

from tests.contracts.conftest import broken_database, ingested, own_service, roomy, service, start

__all__ = ["broken_database", "ingested", "own_service", "roomy", "service", "start"]
