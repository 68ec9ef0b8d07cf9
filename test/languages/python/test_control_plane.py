"""A control plane for each run of pytest, and a reset for each test. Needs the package `kubernetes`."""
import json
import os
import ssl
import subprocess
import urllib.error
import urllib.request

import pytest
from kubernetes import client, config

COMMAND = os.environ.get("ORCH_APISERVER", "npx orch-apiserver").split()


@pytest.fixture(scope="session")
def control_plane():
    process = subprocess.Popen(
        [*COMMAND, "testing", "--clock=virtual", "--stop-with-input"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    access = json.loads(process.stdout.readline())
    yield access
    process.stdin.close()
    assert process.wait(timeout=30) == 0


def act(access, path, body=None):
    request = urllib.request.Request(
        f"{access['testing']}/{path}",
        method="POST",
        data=json.dumps(body or {}).encode(),
        headers={"Authorization": f"Bearer {access['token']}"},
    )
    trust = ssl.create_default_context(cadata=access["ca"])
    with urllib.request.urlopen(request, context=trust) as answer:
        return json.load(answer)


@pytest.fixture
def core(control_plane):
    act(control_plane, "reset")
    return client.CoreV1Api(config.new_client_from_config_dict(control_plane["kubeconfig"]))


def config_map(name):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name))


@pytest.mark.parametrize("round", [1, 2])
def test_each_case_begins_with_the_same_state(core, round):
    core.create_namespaced_config_map("default", config_map("one"))
    names = [each.metadata.name for each in core.list_namespaced_config_map("default").items]
    assert "one" in names


def test_a_snapshot_is_a_state_to_go_back_to(core, control_plane):
    snapshot = act(control_plane, "snapshot")
    core.create_namespaced_config_map("default", config_map("two"))
    assert act(control_plane, "restore", snapshot)["changed"] == 1
    with pytest.raises(client.ApiException) as refused:
        core.read_namespaced_config_map("two", "default")
    assert refused.value.status == 404


def test_time_moves(core, control_plane):
    event = client.CoreV1Event(
        metadata=client.V1ObjectMeta(name="seen"),
        involved_object=client.V1ObjectReference(kind="ConfigMap", name="one", namespace="default"),
    )
    core.create_namespaced_event("default", event)
    act(control_plane, "clock", {"advance": "2h"})
    assert core.list_namespaced_event("default").items == []


def test_a_fault_is_shown_as_often_as_it_is_ordered(core, control_plane):
    scope = {"verb": "create", "resource": "configmaps", "times": 1}
    act(control_plane, "faults", {"kind": "refuse", "status": 503, "retryAfter": 7, "scope": scope})
    with pytest.raises(client.ApiException) as refused:
        core.create_namespaced_config_map("default", config_map("one"))
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "7")
    core.create_namespaced_config_map("default", config_map("one"))
    assert [strike["did"] for strike in act(control_plane, "faults/log")["log"]] == ["refused with 503"]


def test_a_fork_goes_its_own_way(core, control_plane):
    fork = act(control_plane, "fork")
    other = client.CoreV1Api(config.new_client_from_config_dict(fork["kubeconfig"]))
    other.create_namespaced_config_map("default", config_map("three"))
    with pytest.raises(client.ApiException) as refused:
        core.read_namespaced_config_map("three", "default")
    assert refused.value.status == 404


def test_who_asks_without_the_token_is_told_what_to_do(control_plane):
    with pytest.raises(urllib.error.HTTPError) as refused:
        act({**control_plane, "token": "guessed"}, "reset")
    status = json.load(refused.value)
    assert (status["kind"], status["code"]) == ("Status", 401)
    assert "token of the ready document" in status["message"]
