/** The files that audit flags name: read and checked, and kept as plain data, for other processes too. */
import { parseAuditPolicy } from '../../audit/audit-policy-file.ts';
import type { PolicyFile } from '../../audit/audit-policy.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { FileCheck } from '../file-check.ts';
import type { ConfiguredWebhook } from '../../webhook/webhook-client.ts';
import type { AuditConfig } from './audit-options.ts';

export interface AuditFiles {
  /** undefined: no flag names one, and nothing is told. */
  readonly policy: PolicyFile | undefined;
  readonly webhook: ConfiguredWebhook | undefined;
}

/** Faults are added to those of `check`. */
export async function readAuditFiles(
  { policyFile, log, webhook }: AuditConfig,
  naming: NamingProfile,
  check: FileCheck,
): Promise<AuditFiles> {
  const policy = await check.parsed(policyFile, {
    flag: '--audit-policy-file',
    code: 'AUDIT_POLICY_INVALID',
    parse: (text) => parseAuditPolicy(text, naming),
  });
  if (log.path !== '-') await check.appendable(log.path, '--audit-log-path');
  return { policy, webhook: await check.webhook(webhook.configFile, '--audit-webhook-config-file') };
}
