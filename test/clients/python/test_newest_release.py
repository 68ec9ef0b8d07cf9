"""The Python client of the newest release against the service that KUBECONFIG names."""
import threading

import pytest
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "default"


@pytest.fixture(scope="module")
def api():
    return config.new_client_from_config()


def config_map(name, data=None, labels=None):
    return client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name=name, labels=labels), data=data
    )


def test_typed_objects_make_the_way_there_and_back(api):
    core = client.CoreV1Api(api)
    assert client.VersionApi(api).get_code().minor == "36"
    container = client.V1Container(name="main", image="example/one")
    pod = client.V1Pod(
        metadata=client.V1ObjectMeta(name="typed"),
        spec=client.V1PodSpec(containers=[container], host_users=True),
    )
    made = core.create_namespaced_pod(NAMESPACE, pod)
    assert made.metadata.generation == 1
    assert made.spec.host_users is True
    core.delete_namespaced_pod("typed", NAMESPACE, grace_period_seconds=0)
    with pytest.raises(ApiException) as refused:
        core.read_namespaced_pod("typed", NAMESPACE)
    assert refused.value.status == 404


def test_a_watch_sees_changes(api):
    core = client.CoreV1Api(api)
    seen, begun = [], threading.Event()

    def follow():
        following = watch.Watch()
        start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
        begun.set()
        for event in following.stream(
            core.list_namespaced_config_map,
            NAMESPACE,
            label_selector="client=python",
            resource_version=start,
            timeout_seconds=60,
        ):
            seen.append(event["type"])
            if event["type"] == "DELETED":
                following.stop()

    follower = threading.Thread(target=follow)
    follower.start()
    assert begun.wait(30)
    core.create_namespaced_config_map(
        NAMESPACE, config_map("watched", labels={"client": "python"})
    )
    core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"a": "1"}})
    core.delete_namespaced_config_map("watched", NAMESPACE)
    follower.join(60)
    assert seen == ["ADDED", "MODIFIED", "DELETED"]


def test_the_dynamic_client_reads_discovery_and_applies(api):
    claims = dynamic.DynamicClient(api).resources.get(
        api_version="resource.k8s.io/v1", kind="ResourceClaim"
    )
    request = {"name": "one", "exactly": {"deviceClassName": "gpu.example.com"}}
    body = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "applied"},
        "spec": {"devices": {"requests": [request]}},
    }
    made = claims.server_side_apply(
        body=body, name="applied", namespace=NAMESPACE, field_manager="python"
    )
    assert made.spec.devices.requests[0].exactly.allocationMode == "ExactCount"
    claims.delete(name="applied", namespace=NAMESPACE)


def test_lists_are_read_in_pages(api):
    core = client.CoreV1Api(api)
    names = [f"page-{number}" for number in range(5)]
    for name in names:
        core.create_namespaced_config_map(
            NAMESPACE, config_map(name, labels={"paged": "yes"})
        )
    seen, token = [], None
    while token != "":
        page = core.list_namespaced_config_map(
            NAMESPACE, label_selector="paged", limit=2, _continue=token
        )
        seen += [item.metadata.name for item in page.items]
        token = page.metadata._continue or ""
    assert seen == names
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="paged")


def test_who_one_is(api):
    review = client.AuthenticationV1Api(api).create_self_subject_review(
        client.V1SelfSubjectReview()
    )
    user = review.status.user_info
    assert user.username == "admin"
    assert user.extra["authentication.kubernetes.io/credential-id"][0].startswith(
        "X509SHA256="
    )
