"""Find nodes by what they are and by how they are connected."""

from jaxscope.analysis.search.index import SearchIndex
from jaxscope.analysis.search.query import Query, QueryError, parse_query

__all__ = ["Query", "QueryError", "SearchIndex", "parse_query"]
