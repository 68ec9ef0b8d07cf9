/** What the token controller works with. */
import type { ControllerContext } from '../types.ts';

export interface ServiceAccountTokenOptions extends ControllerContext {
  /** The type of Secrets that hold tokens. */
  readonly secretType: string;
  /** Annotations of such a Secret: whose token it holds. */
  readonly nameAnnotation: string;
  readonly uidAnnotation: string;
  /** Whether a Secret is made for an account that names none; absent: as the release of the server does by itself. */
  readonly createsSecrets?: boolean | undefined;
  /** PEM; what clients trust the service by. */
  readonly rootCa: string;
  readonly makeToken: (account: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly secretName: string;
  }) => string;
}
