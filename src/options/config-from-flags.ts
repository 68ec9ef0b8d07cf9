/**
 * Flags → configuration. Collects every error; the configuration is complete in any case, so that later checks can
 * run.
 */
import type { StartErrorDetail } from '../base/start-error.ts';
import { warnAboutAccepted } from './accepted/accepted-flags.ts';
import { withoutDeprecatedNames } from './accepted/deprecated-names.ts';
import { readAccess } from './access-options.ts';
import { readAdmission } from './admission/admission-options.ts';
import { readAggregation } from './aggregation-options.ts';
import { readApiEnablement } from './api/api-enablement-options.ts';
import { readAudit } from './audit/audit-options.ts';
import { readAuthentication } from './authentication/authentication-options.ts';
import { readAuthorization } from './authorization-options.ts';
import { readBrowsers } from './browser-options.ts';
import { readControllers } from './controllers/controller-options.ts';
import { readEncryption } from './encryption/encryption-options.ts';
import { readEtcd } from './etcd-options.ts';
import { readFeatures } from './feature-options.ts';
import { FlagErrors, type FlagValues } from './flag-reader.ts';
import { readFlowControl } from './flow-control-options.ts';
import { readNamedCertificateFlag, warnAboutAddresses } from './named-certificate-options.ts';
import { readNodeAgents } from './node-agent-options.ts';
import { readObserve } from './observe-options.ts';
import type { ServerConfig } from './server-config.ts';
import { serveFlags } from './serve-flags.ts';
import { readServerRun } from './server-run-options.ts';
import { readServices } from './service-options.ts';
import { readServing } from './serving-options.ts';
import { readTls } from './tls-options.ts';
import { readTracingFlag } from './tracing/tracing-options.ts';
import { readWrites } from './write-options.ts';

/** Reads flags by name. The configuration is complete even if there are errors. Errors of values come first. */
export async function configFromFlags(
  given: FlagValues,
): Promise<{ config: ServerConfig; errors: readonly StartErrorDetail[] }> {
  const errors = new FlagErrors();
  const { texts, warnings } = withoutDeprecatedNames(given, errors);
  const controllers = readControllers(texts, errors);
  const serving = readServing(texts, errors);
  const authentication = readAuthentication(texts, errors);
  const authorization = readAuthorization(texts, errors);
  const api = await readApiEnablement(texts, errors, controllers.controllers);
  const features = readFeatures(texts, errors, api.emulatedRelease);
  const named = readNamedCertificateFlag(texts, errors);
  const config: ServerConfig = {
    ...{ ...serving, ...named, ...authentication, authorization },
    audit: readAudit(texts, errors),
    admission: readAdmission(texts, errors, {
      modes: authorization.modes,
      ...{ ...features, ...api },
    }),
    aggregation: readAggregation(texts, errors),
    encryption: readEncryption(texts, errors, { ...features, ...api }),
    etcd: await readEtcd(texts, errors, api.naming),
    ...api,
    ...features,
    ...readAccess(texts, errors, { ...features, ...api }),
    ...readTracingFlag(texts, errors, { ...features, ...api }),
    ...readServices(texts, errors, { ...features, ...api }),
    requests: readFlowControl(texts, errors),
    nodeAgents: readNodeAgents(texts, errors),
    ...readObserve(texts, errors, api.emulatedRelease),
    ...readServerRun(texts, errors),
    ...controllers,
    ...readBrowsers(texts, errors),
    ...readTls(texts, errors),
    ...readWrites(texts, errors),
    flagTexts: Object.fromEntries(serveFlags.map((flag) => [flag.name, texts[flag.name] ?? flag.default])),
    flagWarnings: [...warnings, ...warnAboutAccepted(texts), ...warnAboutAddresses(named)],
  };
  return { config, errors: errors.all() };
}
