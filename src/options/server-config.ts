/** The typed configuration of a replica, made from flags or by a caller. Files are not read yet. */
import type { AccessConfig } from './access-options.ts';
import type { AdmissionConfig } from './admission/admission-options.ts';
import type { AggregationConfig } from './aggregation-options.ts';
import type { ApiEnablementConfig } from './api/api-enablement-flags.ts';
import type { AuditConfig } from './audit/audit-options.ts';
import type { ClientConfig } from './authentication/authentication-config.ts';
import type { AuthorizationConfig } from './authorization-options.ts';
import type { BrowserConfig } from './browser-options.ts';
import type { ControllerConfig } from './controllers/controller-options.ts';
import type { EncryptionConfig } from './encryption/encryption-options.ts';
import type { EtcdConfig } from './etcd-options.ts';
import type { FeatureConfig } from './feature-options.ts';
import type { FlowControlConfig } from './flow-control-options.ts';
import type { NamedCertificateConfig } from './named-certificate-options.ts';
import type { NodeAgentConfig } from './node-agent-options.ts';
import type { ObserveConfig } from './observe-options.ts';
import type { ServerRunConfig } from './server-run-options.ts';
import type { ServiceConfig } from './service-options.ts';
import type { ServingConfig } from './serving-options.ts';
import type { TlsConfig } from './tls-options.ts';
import type { TracingConfig } from './tracing/tracing-options.ts';
import type { WriteConfig } from './write-options.ts';

export interface ServerConfig
  extends
    ApiEnablementConfig,
    BrowserConfig,
    ClientConfig,
    ControllerConfig,
    FeatureConfig,
    NamedCertificateConfig,
    ObserveConfig,
    ServerRunConfig,
    ServingConfig,
    TlsConfig,
    WriteConfig {
  /** Every flag by name, with the value that was given, or its default. */
  readonly flagTexts: Readonly<Record<string, string>>;
  /** About flags that are deprecated or have no effect, for the operator. */
  readonly flagWarnings: readonly string[];
  readonly access: AccessConfig;
  readonly admission: AdmissionConfig;
  readonly aggregation: AggregationConfig;
  readonly audit: AuditConfig;
  readonly authorization: AuthorizationConfig;
  readonly encryption: EncryptionConfig;
  readonly etcd: EtcdConfig;
  readonly nodeAgents: NodeAgentConfig;
  readonly requests: FlowControlConfig;
  readonly services: ServiceConfig;
  readonly tracing: TracingConfig;
}
