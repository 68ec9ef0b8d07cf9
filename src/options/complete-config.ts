/** Configuration → completed configuration: every file is read and checked, and all errors are reported together. */
import type { Fault } from '../base/start-error.ts';
import { namingProfiles } from '../meta/naming.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';
import { readAdmissionFiles, type AdmissionFiles } from './admission/admission-files.ts';
import { readAuditFiles, type AuditFiles } from './audit/audit-files.ts';
import { readClientFiles, type ClientFiles } from './authentication/authentication-files.ts';
import { readAuthorizationWebhook } from './authorization-options.ts';
import { readEtcdFiles, type EtcdFiles } from './etcd-options.ts';
import { FileCheck, type KeyPair } from './file-check.ts';
import type { ServerConfig } from './server-config.ts';
import { readServingPair } from './serving-options.ts';

/** What the files that the configuration names hold; absent where it names none. Plain data, for other processes too. */
export interface ConfiguredFiles extends ClientFiles, EtcdFiles {
  readonly serving: KeyPair | undefined;
  /** Where the authorization webhook is, with which credentials. */
  readonly authorizationWebhook: ConfiguredWebhook | undefined;
  readonly audit: AuditFiles;
  readonly admission: AdmissionFiles;
}

export interface CompletedConfig extends ServerConfig {
  readonly files: ConfiguredFiles;
}

/** Reads and checks the files. The result is whole only when there are no errors. */
export async function completeConfig(
  config: ServerConfig,
): Promise<{ completed: CompletedConfig; faults: readonly Fault[] }> {
  const faults: Fault[] = [];
  const check = new FileCheck(faults);
  const naming = namingProfiles[config.naming];
  // One after the other, so that errors come in the same order every time.
  const files = {
    serving: await readServingPair(config, check),
    ...(await readClientFiles(config, check)),
    ...(await readEtcdFiles(config.etcd, check)),
    authorizationWebhook: await readAuthorizationWebhook(config.authorization, check),
    audit: await readAuditFiles(config.audit, naming, check),
    admission: await readAdmissionFiles(config.admission, naming, check),
  };
  return { completed: { ...config, files }, faults };
}
