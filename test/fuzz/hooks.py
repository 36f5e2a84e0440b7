"""Leads schemathesis to objects that exist: names of the playground in paths, and manifests with a fault or two in bodies.

Without this nearly every request ends at "there is no instance called …" or at a text that is no manifest.
"""

import copy
import json
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

MANIFESTS = json.loads(Path(__file__).with_name("manifests.json").read_text())

# Names of what `run.ts` made, by path parameter.
KNOWN = {
    "instance": ["eu-west"],
    "cluster": ["eu-west-a", "eu-west-b"],
    "namespace": ["shop"],
    "name": ["web"],
    "cronjob": ["web"],
    "group": ["example.com", "apps"],
    "version": ["v1"],
    "resource": ["widgets", "deployments"],
}

# What stands where something else was expected.
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(2**63), max_value=2**63),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["", "-1", "0", "100%", "1Ei", "1e400", "[a", "{{", "__proto__", "constructor", "\u0000", "/", "a/b/c", "*"]),
    st.just([]),
    st.just({}),
    st.lists(st.integers(), min_size=1, max_size=2),
    st.just({"__proto__": {"a": 1}}),
    st.just([None]),
    st.just([{}]),
)


def _resource(path):
    """The plural in a path that a manifest is known of: `deployments` of `…/deployments/{name}`."""
    words = [word.split(":")[0] for word in path.split("/")]
    found = [word for word in words if word in MANIFESTS]
    if "gvr" in words:
        return "widgets"
    return found[-1] if found else None


def _places(value, path=()):
    """Every place in a value, as keys and indices."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))


@st.composite
def faulty(draw, manifest):
    """A manifest with up to three values replaced, removed or added."""
    result = copy.deepcopy(manifest)
    for _ in range(draw(st.integers(min_value=0, max_value=3))):
        places = [place for place in _places(result) if place]
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        inner = result
        for key in way:
            inner = inner[key]
        action = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if action == "remove":
            del inner[last]
        elif action == "add" and isinstance(inner, dict):
            inner[draw(st.sampled_from(["status", "spec", "metadata", "a", "", "__proto__", "constructor"]))] = draw(ODD)
        else:
            inner[last] = draw(ODD)
    return result


@schemathesis.hook
def before_generate_path_parameters(context, strategy):
    operation = context.operation

    @st.composite
    def led(draw):
        drawn = draw(strategy)
        if draw(st.integers(0, 9)) == 0 or not isinstance(getattr(drawn, "value", drawn), dict):
            return drawn
        values = getattr(drawn, "value", drawn)
        for key in values:
            names = list(KNOWN.get(key, []))
            if key == "name":
                if operation.path.endswith("instances/{name}") or operation.method.upper() == "DELETE":
                    continue
                if "/clusters/{name}" in operation.path:
                    names = KNOWN["cluster"]
                elif "customresourcedefinitions" in operation.path:
                    names = ["widgets.example.com"]
                elif "instances/{name}" in operation.path:
                    names = KNOWN["instance"]
                elif operation.path.endswith("/namespaces/{name}") or "/namespaces/{name}/" in operation.path:
                    names = KNOWN["namespace"]
            if names:
                values[key] = draw(st.sampled_from(names))
        return drawn

    return led()


@schemathesis.hook
def before_generate_body(context, strategy):
    resource = _resource(context.operation.path)
    manifest = MANIFESTS.get(resource) if resource else None
    preview = context.operation.path.endswith("policies:preview")
    choices = [MANIFESTS["propagationpolicies"], MANIFESTS["clusterpropagationpolicies"], MANIFESTS["overridepolicies"]]
    if manifest is None and not preview and "aggregationresource" not in context.operation.path:
        return strategy
    if "aggregationresource" in context.operation.path:
        choices = list(MANIFESTS.values())

    @st.composite
    def led(draw):
        drawn = draw(strategy)
        body = getattr(drawn, "value", drawn)
        if not isinstance(body, dict):
            return drawn
        if "data" not in body and not preview and manifest is None:
            return drawn
        chosen = manifest if manifest is not None and not preview else draw(st.sampled_from(choices))
        mended = draw(faulty(chosen))
        if isinstance(mended.get("metadata"), dict) and draw(st.booleans()) and context.operation.method.upper() == "POST":
            mended["metadata"]["name"] = draw(st.sampled_from(["a", "b", "c", "web"]))
        if "data" in body or preview:
            body["data"] = json.dumps(mended)
        return drawn

    return led()
