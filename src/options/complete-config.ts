/** Configuration → completed configuration: every file is read and checked, and all errors are reported together. */
import type { StartErrorDetail } from '../base/start-error.ts';
import type { ConfiguredAuthentication } from '../authn/oidc/issuer-rules.ts';
import type { NamedCertificate } from '../http/named-certificates.ts';
import { namingProfiles } from '../meta/naming.ts';
import type { EncryptionRule } from '../storage/encryption/rules.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';
import { readAdmissionFiles, type AdmissionFiles } from './admission/admission-files.ts';
import { readProxyClientPair } from './aggregation-options.ts';
import { readAuditFiles, type AuditFiles } from './audit/audit-files.ts';
import { readAuthenticationFile } from './authentication/configuration/authentication-file.ts';
import { readClientFiles, type ClientFiles } from './authentication/authentication-files.ts';
import type { AbacPolicy } from '../authz/abac/abac-authorizer.ts';
import { readAuthorizationPolicies, readAuthorizationWebhook } from './authorization-options.ts';
import {
  checkPolicyFile,
  modesOf,
  readAuthorizationFile,
  type StructuredAuthorization,
} from './authorization-file.ts';
import { readEncryptionFile } from './encryption/encryption-options.ts';
import type { EtcdTls } from '../storage/options.ts';
import { readEtcdFiles } from './etcd-options.ts';
import { FileCheck, type KeyPair } from './file-check.ts';
import { readNamedCertificates } from './named-certificate-options.ts';
import { readNodeAgentFiles, type NodeAgentFiles } from './node-agent-options.ts';
import type { ServerConfig } from './server-config.ts';
import type { TracingSettings } from '../observe/tracing/tracer.ts';
import { readServingPair } from './serving-options.ts';
import { readTracingFile } from './tracing/tracing-options.ts';

/**
 * The contents of the files that the configuration names; undefined if it names none. Plain data, so that it can be
 * sent to worker processes.
 */
export interface ConfiguredFiles extends ClientFiles, NodeAgentFiles {
  readonly etcdTls: EtcdTls | undefined;
  readonly serving: KeyPair | undefined;
  readonly namedCertificates: readonly NamedCertificate[];
  /** Empty if the mode ABAC is disabled. */
  readonly authorizationPolicies: readonly AbacPolicy[];
  /** undefined without `--authentication-config`. */
  readonly structuredAuthentication: ConfiguredAuthentication | undefined;
  /** undefined without `--authorization-config`. */
  readonly structuredAuthorization: StructuredAuthorization | undefined;
  /** Address and credentials of the authorization webhook. */
  readonly authorizationWebhook: ConfiguredWebhook | undefined;
  /** undefined if nothing is encrypted. */
  readonly encryption: readonly EncryptionRule[] | undefined;
  readonly audit: AuditFiles;
  readonly admission: AdmissionFiles;
  /** Client certificate for servers of aggregated APIs. */
  readonly proxyClient: KeyPair | undefined;
  /** undefined without `--tracing-config-file`. */
  readonly tracing: TracingSettings | undefined;
}

export interface CompletedConfig extends ServerConfig {
  readonly files: ConfiguredFiles;
}

/** Reads and checks the files. The result is complete only if there are no errors. */
export async function completeConfig(
  config: ServerConfig,
): Promise<{ completed: CompletedConfig; errors: readonly StartErrorDetail[] }> {
  const errors: StartErrorDetail[] = [];
  const check = new FileCheck(errors);
  const naming = namingProfiles[config.naming];
  // In sequence, to keep the order of errors stable.
  const files = {
    serving: await readServingPair(config, check),
    namedCertificates: await readNamedCertificates(config, check),
    ...(await readClientFiles(config, check)),
    structuredAuthentication: await readAuthenticationFile(
      config.access,
      { naming, issuer: config.authentication.serviceAccounts.issuer },
      check,
    ),
    structuredAuthorization: await readAuthorizationFile(config.access, naming, check),
    etcdTls: await readEtcdFiles(config.etcd, check),
    encryption: await readEncryptionFile(config.encryption, naming, check),
    authorizationPolicies: await readAuthorizationPolicies(config.authorization, naming, check),
    authorizationWebhook: await readAuthorizationWebhook(config.authorization, check),
    nodeAgents: await readNodeAgentFiles(config.nodeAgents, check),
    audit: await readAuditFiles(config.audit, naming, check),
    admission: await readAdmissionFiles(config.admission, naming, check),
    proxyClient: await readProxyClientPair(config.aggregation, check),
    tracing: await readTracingFile(config.tracing, naming, check),
  };
  checkPolicyFile(files.structuredAuthorization, config.authorization.policyFile, check);
  return { completed: { ...withModes(config, files), files }, errors };
}

/** The file of authorizers takes the place of the flag of modes. */
function withModes(
  config: ServerConfig,
  { structuredAuthorization: structured }: Pick<ConfiguredFiles, 'structuredAuthorization'>,
): ServerConfig {
  if (!structured) return config;
  const modes = modesOf(structured);
  const plugins = modes.includes('Node') ? config.admission.pluginsWithNodes : config.admission.plugins;
  return {
    ...config,
    authorization: { ...config.authorization, modes },
    admission: { ...config.admission, plugins },
  };
}
