/** Configuration → completed configuration: every file is read and checked, and all faults are told together. */
import { sharedAuthorityFaults } from './authentication/client-authorities.ts';
import { namingProfiles } from '../meta/naming.ts';
import { readAdmissionFiles, type AdmissionFiles } from './admission/files.ts';
import { readAuditFiles, type AuditFiles } from './audit/files.ts';
import { readAuthenticationFiles, type AuthenticationFiles } from './authentication/files.ts';
import type { ServerConfig } from './config.ts';
import type { Fault } from './faults.ts';
import { FileCheck, type KeyPair } from './file-check.ts';
import type { ConfiguredWebhook } from './webhook-client.ts';

/** What the files that the configuration names hold; absent where it names none. Plain bytes, for other processes too. */
export interface ConfiguredFiles {
  readonly serving: KeyPair | undefined;
  readonly clientCa: Buffer | undefined;
  readonly etcdCa: Buffer | undefined;
  readonly etcdClient: KeyPair | undefined;
  readonly tokens: Buffer | undefined;
  readonly authentication: AuthenticationFiles;
  /** Where the authorization webhook is, and who to be there. */
  readonly authorizationWebhook: ConfiguredWebhook | undefined;
  readonly audit: AuditFiles;
  readonly admission: AdmissionFiles;
}

export interface CompletedConfig extends ServerConfig {
  readonly files: ConfiguredFiles;
}

/** Reads and checks the files. The result is whole only when there are no faults. */
export async function completeConfig(
  config: ServerConfig,
): Promise<{ completed: CompletedConfig; faults: readonly Fault[] }> {
  const faults: Fault[] = [];
  const check = new FileCheck(faults);
  const { etcd } = config;
  // One after the other, so that faults come in the same order every time.
  const serving = await check.pair(
    config.tlsCertFile,
    config.tlsPrivateKeyFile,
    '--tls-cert-file and --tls-private-key-file',
  );
  const clientCa = await check.authorities(config.clientCaFile, '--client-ca-file');
  const etcdCa = await check.authorities(etcd.caFile, '--etcd-cafile');
  const etcdClient = await check.pair(etcd.certFile, etcd.keyFile, '--etcd-certfile and --etcd-keyfile');
  const tokens = await check.tokens(config.tokenAuthFile);
  const authentication = await readAuthenticationFiles(config.authentication, check);
  const { proxyCa } = authentication;
  faults.push(...sharedAuthorityFaults(config.authentication.proxies, [clientCa?.toString(), proxyCa]));
  const authorizationWebhook = await check.webhook(
    config.authorization.webhook.configFile,
    '--authorization-webhook-config-file',
  );
  const naming = namingProfiles[config.naming];
  const audit = await readAuditFiles(config.audit, naming, check);
  const admission = await readAdmissionFiles(config.admission, naming, check);
  const files = {
    serving,
    clientCa,
    etcdCa,
    etcdClient,
    tokens,
    authentication,
    authorizationWebhook,
    audit,
    admission,
  };
  return { completed: { ...config, files }, faults };
}
