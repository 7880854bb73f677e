"""The connection to Canvas, by way of canvasapi, and its refusals in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from peerage.errors import InputError, MissingExtraError, Problem, ServiceError

try:
    import requests
    from canvasapi import exceptions
    from canvasapi.paginated_list import PaginatedList
    from canvasapi.requester import Requester
    from canvasapi.util import combine_kwargs
    from requests.auth import AuthBase
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("canvasapi", "requests"):
        raise
    raise MissingExtraError("Canvas", "canvas") from None

from peerage.canvas.adapter import PoliteAdapter
from peerage.canvas.place import BOUNDS, Patience, Place, Report, checked_token
from peerage.canvas.store import Answer, Store
from peerage.support.files.json_files import parse_json
from peerage.support.files.json_shapes import Maybe, misfit

LISTS = ("peer_reviews", "submissions")

_LONGEST = 300
"""How many characters of a refusal are shown."""

_ID = (int, str)
_NUMBER = (int, float)
_JOB = {"id": int, "workflow_state": str, "message": Maybe(str)}
_SHAPES: dict[str, Any] = {
    "assignment": {
        "id": _ID,
        "name": str,
        "grading_type": Maybe(str),
        "points_possible": Maybe(_NUMBER),
        "rubric_settings": Maybe({"id": int}),
    },
    "peer_reviews": [{"assessor_id": _ID, "asset_id": _ID, "user_id": _ID, "workflow_state": str}],
    "submissions": [
        {
            "user_id": _ID,
            "score": Maybe(_NUMBER),
            "entered_score": Maybe(_NUMBER),
            "user": Maybe({"name": Maybe(str)}),
            "submission_comments": Maybe([{"comment": Maybe(str)}]),
        }
    ],
    "update_grades": _JOB,
    "progres": _JOB,
}
"""What we rely on in each kind of answer; the others have an id."""


class Client(Requester):  # type: ignore[misc]
    """What canvasapi makes its requests with; answers that are in a store are taken from there."""

    def __init__(
        self, place: Place, token: str, patience: Patience, report: Report, store: Store | None = None
    ) -> None:
        super().__init__(place.url, checked_token(token))
        self._store = store
        self._session.auth = _OwnHeader()
        adapter = PoliteAdapter(patience, report)
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, adapter)

    def request(self, method: str, endpoint: str, **options: Any) -> requests.Response:
        """Make a request, unless its answer is stored."""
        key = _key(endpoint, options)
        if self._store is not None and key in self._store.answers:
            stored = self._store.answers[key]
            return self._checked(endpoint, _response(stored, self._store.body(stored)))
        response = self._checked(endpoint, super().request(method, endpoint, **options))
        if self._store is not None:
            self._store.add(key, _kind(endpoint), response.content, response.headers.get("Link", ""))
        return response

    def _checked(self, endpoint: str, response: requests.Response) -> requests.Response:
        """The answer, if it is as we rely on it to be."""
        content = parse_json(response.content)
        if not _is_canvas(endpoint, content):
            raise InputError(_not_canvas(self.original_url))
        wrong = misfit(content, _SHAPES.get(_kind(endpoint), {}), "the answer")
        if wrong:
            what = _kind(endpoint).replace("_", " ")
            message = f"Canvas's answer about the {what} is not as its documentation says ({wrong})"
            raise InputError(Problem(message, "try again, or ask Canvas's administrator"))
        following = str(response.links.get("next", {}).get("url", self.base_url))
        if not following.startswith(self.base_url):
            server = following.split("/api/")[0]
            raise InputError(Problem(f"Canvas calls itself {server} here", "use that address", setting="url"))
        return response


class Entry(dict[str, Any]):
    """An entry of a list. Canvasapi's own objects look for a date in every value, a millisecond each."""

    def __init__(self, _: Client, attributes: Mapping[str, Any]) -> None:
        super().__init__(attributes)


def entries(client: Client, place: Place, name: str, **parameters: Any) -> list[Entry]:
    """All pages of one of the lists that an assignment has."""
    address = f"{place.address}/{name}"
    return list(PaginatedList(Entry, _Pages(client), "GET", address, _kwargs=combine_kwargs(**parameters)))


def answer(client: Client, method: str, address: str, **parameters: Any) -> dict[str, Any]:
    """What Canvas says about one thing. Canvasapi's own objects do what the answer says, be it to another course."""
    content: dict[str, Any] = client.request(method, address, _kwargs=combine_kwargs(**parameters)).json()
    return content


class _Pages:
    """Asks for the pages of one list, none of them twice, and not for ever."""

    def __init__(self, client: Client) -> None:
        self._client, self._most = client, BOUNDS.pages
        self._asked: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def request(self, method: str, endpoint: str, **options: Any) -> requests.Response:
        """Make a request."""
        if endpoint in self._asked or len(self._asked) == self._most:
            reason = "repeats a page" if endpoint in self._asked else f"has more than {self._most:,} pages"
            raise ServiceError(f"Canvas's list of {_kind(endpoint).replace('_', ' ')} {reason}; ask its administrator")
        self._asked.add(endpoint)
        return self._client.request(method, endpoint, **options)


class _OwnHeader(AuthBase):
    """Keeps requests from replacing the token by what a ``.netrc`` file says."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


@contextmanager
def refusals(place: Place) -> Iterator[None]:
    """Turn what Canvas refuses into sentences."""
    try:
        yield
    except exceptions.InvalidAccessToken:
        message = "Canvas does not accept the token: it is wrong or has expired"
        remedy = "make a new one in Canvas, under Account, Settings, New access token"
        raise InputError(Problem(message, remedy, setting="token")) from None
    except (exceptions.Unauthorized, exceptions.Forbidden):
        message = f"the token has no permission to see or change this in course {place.course}"
        raise InputError(Problem(message, "use the token of a teacher of the course")) from None
    except exceptions.ResourceDoesNotExist:
        message = f"{place.url} has no course {place.course} with assignment {place.assignment}, or hides it"
        raise InputError(Problem(message, "compare both ids with the address of the assignment in a browser")) from None
    except exceptions.CanvasException as error:
        raise ServiceError(f"Canvas could not do what was asked: {str(error)[:_LONGEST]}") from None
    except ValueError:
        # Beside what is no JSON, there are numbers of thousands of digits, and tables within tables within tables.
        raise InputError(_not_canvas(place.url)) from None
    except requests.RequestException as error:
        raise ServiceError(f"{place.url} could not be used: {type(error).__name__}") from None


def _not_canvas(url: str) -> Problem:
    message = f"{url} does not answer like Canvas"
    return Problem(message, "copy the address from a browser in which Canvas is open", setting="url")


def _is_canvas(endpoint: str, content: Any) -> bool:
    """Whether an answer is what an address promises: a list, or a thing with an id."""
    if _kind(endpoint) in LISTS:
        return isinstance(content, list) and all(isinstance(entry, dict) for entry in content)
    return isinstance(content, dict) and "id" in content


def _key(endpoint: str, options: dict[str, Any]) -> str:
    """What tells a request from others: its address and its parameters."""
    parameters = [*(options.get("_kwargs") or ()), ("per_page", options.get("per_page", ""))]
    return " ".join([endpoint, *(f"{name}={value}" for name, value in parameters if value)])


def _kind(endpoint: str) -> str:
    """What an address leads to: ``peer_reviews``, or ``rubric`` for ``rubrics/7``."""
    *_, collection, last = endpoint.partition("?")[0].split("/")
    return collection.removesuffix("s") if last.isdecimal() else last


def _response(answer: Answer, body: bytes) -> requests.Response:
    """A stored answer as canvasapi expects it."""
    response = requests.Response()
    response.status_code = 200
    response.headers["Link"] = answer.link
    response.raw = BytesIO(body)
    return response
