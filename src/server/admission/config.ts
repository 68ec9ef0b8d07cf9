/** What is asked of writes beside permission, as far as flags say it. */
import type { AdmissionPluginName } from '../../admission/plugin-names.ts';

export interface AdmissionConfig {
  readonly plugins: ReadonlySet<AdmissionPluginName>;
}
