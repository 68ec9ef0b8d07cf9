package languages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
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
    controlPlane = new ControlPlane();
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

  private static ConfigMap create(String name) {
    var map = new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace("default").endMetadata().build();
    return client.resource(map).create();
  }
}
