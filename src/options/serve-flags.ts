/**
 * The flags of `serve`, of all concerns. Names are those of kube-apiserver; a test compares the list in the guide.
 */
import { acceptedFlagDefinitions } from './accepted/accepted-flags.ts';
import { deprecatedNameDefinitions } from './accepted/deprecated-names.ts';
import { accessFlags } from './access-options.ts';
import { admissionFlags } from './admission/admission-options.ts';
import { aggregationFlags } from './aggregation-options.ts';
import { apiEnablementFlags } from './api/api-enablement-flags.ts';
import { auditFlags } from './audit/audit-flags.ts';
import { authenticationFlags } from './authentication/authentication-flags.ts';
import { authorizationFlags } from './authorization-options.ts';
import { browserFlags } from './browser-options.ts';
import { controllerFlags } from './controllers/controller-options.ts';
import { encryptionFlags } from './encryption/encryption-options.ts';
import { etcdFlags } from './etcd-options.ts';
import { featureFlags } from './feature-options.ts';
import { flowControlFlags } from './flow-control-options.ts';
import { namedCertificateFlags } from './named-certificate-options.ts';
import { nodeAgentFlags } from './node-agent-options.ts';
import { observeFlags } from './observe-options.ts';
import { serverRunFlags } from './server-run-options.ts';
import { serviceFlags } from './service-options.ts';
import { servingFlags } from './serving-options.ts';
import { tlsFlags } from './tls-options.ts';
import { tracingFlags } from './tracing/tracing-options.ts';
import { writeFlags } from './write-options.ts';

import type { FlagDefinition } from './flag-definition.ts';

export type { FlagDefinition };

export const serveFlags = [
  ...accessFlags,
  ...admissionFlags,
  ...aggregationFlags,
  ...apiEnablementFlags,
  ...auditFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...browserFlags,
  ...controllerFlags,
  ...encryptionFlags,
  ...etcdFlags,
  ...featureFlags,
  ...flowControlFlags,
  ...namedCertificateFlags,
  ...nodeAgentFlags,
  ...observeFlags,
  ...serverRunFlags,
  ...serviceFlags,
  ...servingFlags,
  ...tlsFlags,
  ...tracingFlags,
  ...writeFlags,
].sort((a, b) => (a.name < b.name ? -1 : 1));

/** What the command line takes: also deprecated names, and flags without effect. */
export const takenFlags: readonly FlagDefinition[] = [
  ...serveFlags,
  ...acceptedFlagDefinitions,
  ...deprecatedNameDefinitions,
].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Flags by name; undefined for flags that are not given. */
export type FlagTexts = Readonly<Partial<Record<(typeof serveFlags)[number]['name'], string>>>;
