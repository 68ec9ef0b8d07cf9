package languages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ControlPlaneTest {
  private static ControlPlane controlPlane;
  private static KubernetesClient client;

  @BeforeAll
  static void start() throws Exception {
    controlPlane = new ControlPlane("--clock=virtual");
    client = controlPlane.client();
  }

  @AfterAll
  static void stop() throws Exception {
    client.close();
    controlPlane.close();
  }

  @BeforeEach
  void reset() throws Exception {
    controlPlane.act("reset", Map.of());
  }

  @RepeatedTest(2)
  void eachCaseBeginsWithTheSameState() {
    assertEquals("one", create("one").getMetadata().getName());
  }

  @Test
  void aSnapshotIsAStateToGoBackTo() throws Exception {
    var snapshot = controlPlane.act("snapshot", Map.of()).get("snapshot").asInt();
    create("two");
    assertEquals(1, controlPlane.act("restore", Map.of("snapshot", snapshot)).get("changed").asInt());
    assertNull(client.configMaps().inNamespace("default").withName("two").get());
  }

  @Test
  void aNamespaceGoesWithAllInIt() {
    var shop = new NamespaceBuilder().withNewMetadata().withName("shop").endMetadata().build();
    client.resource(shop).create();
    client.namespaces().withName("shop").delete();
    client.namespaces().withName("shop").waitUntilCondition(found -> found == null, 30, TimeUnit.SECONDS);
    assertNull(client.configMaps().inNamespace("shop").withName("kube-root-ca.crt").get());
  }

  @Test
  void aFaultIsShownOnce() throws Exception {
    var scope = Map.of("verb", "create", "resource", "configmaps", "times", 1);
    controlPlane.act("faults", Map.of("kind", "refuse", "status", 422, "scope", scope));
    assertEquals(422, assertThrows(KubernetesClientException.class, () -> create("one")).getCode());
    assertNotNull(create("one"));
    var log = controlPlane.act("faults/log", Map.of()).get("log");
    assertEquals(List.of("refused with 422"), log.findValuesAsText("did"));
  }

  @Test
  void timeMoves() throws Exception {
    var about = new ObjectReferenceBuilder().withKind("ConfigMap").withName("one").withNamespace("default").build();
    var seen = new EventBuilder().withNewMetadata().withName("seen").withNamespace("default").endMetadata()
        .withInvolvedObject(about).build();
    client.resource(seen).create();
    controlPlane.act("clock", Map.of("advance", "2h"));
    assertEquals(List.of(), client.v1().events().inNamespace("default").list().getItems());
  }

  @Test
  void aForkGoesItsOwnWay() throws Exception {
    var access = controlPlane.act("fork", Map.of());
    try (var forked = ControlPlane.client(access)) {
      forked.resource(configMap("three")).create();
    }
    assertNull(client.configMaps().inNamespace("default").withName("three").get());
  }

  private static ConfigMap create(String name) {
    return client.resource(configMap(name)).create();
  }

  private static ConfigMap configMap(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace("default").endMetadata().build();
  }
}
