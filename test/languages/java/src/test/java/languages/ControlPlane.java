package languages;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A control plane for the tests of a class: a field of it, {@code static final}, and {@code close()} after all. */
final class ControlPlane implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final JsonNode access;
  private final HttpClient http;

  ControlPlane(String... options) throws IOException, GeneralSecurityException {
    String command = System.getenv().getOrDefault("ORCH_APISERVER", "npx orch-apiserver");
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("testing", "--stop-with-input"));
    words.addAll(List.of(options));
    process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    access = JSON.readTree(process.inputReader().readLine());
    http = HttpClient.newBuilder().sslContext(trust(access.get("ca").asText())).build();
  }

  /** A client of the administrator. */
  KubernetesClient client() {
    return client(access);
  }

  /** A client of the administrator of a control plane, such as a fork. */
  static KubernetesClient client(JsonNode access) {
    Config config = Config.fromKubeconfig(access.get("kubeconfig").toString());
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  /** Asks for one of the paths below /testing. */
  JsonNode act(String path, Map<String, ?> body) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(access.get("testing").asText() + "/" + path))
        .header("Authorization", "Bearer " + access.get("token").asText())
        .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
        .build();
    var answer = http.send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new IOException(path + ": " + answer.body());
    return JSON.readTree(answer.body());
  }

  /** The program goes with its input. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.outputWriter().close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly();
  }

  private static SSLContext trust(String ca) throws IOException, GeneralSecurityException {
    KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
    known.load(null, null);
    var certificate = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(ca.getBytes()));
    known.setCertificateEntry("ca", certificate);
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(known);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
