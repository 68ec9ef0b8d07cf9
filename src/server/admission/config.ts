/** What is asked of writes beside permission, as far as flags say it. */
import type { AdmissionPluginName } from '../../admission/plugin-names.ts';

export interface AdmissionConfig {
  /** '': plugins have no configuration. */
  readonly configFile: string;
  readonly plugins: ReadonlySet<AdmissionPluginName>;
}
