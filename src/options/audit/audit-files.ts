/**
 * The files that audit flags name: read, checked and kept as plain data, so that they can be sent to worker
 * processes.
 */
import { parseAuditPolicy } from '../../audit/audit-policy-file.ts';
import type { PolicyFile } from '../../audit/audit-policy.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { FileCheck } from '../file-check.ts';
import type { ConfiguredWebhook } from '../../webhook/webhook-client.ts';
import type { AuditConfig } from './audit-options.ts';

export interface AuditFiles {
  /** undefined if there is no audit policy: nothing is audited. */
  readonly policy: PolicyFile | undefined;
  readonly webhook: ConfiguredWebhook | undefined;
}

/** Errors are added to those of `check`. */
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
