/**
 * Renews the certificates of the data folder's PKI while the service runs, which may be longer than they are valid.
 *
 *   every hour   expires within 30 days? ──▶ a new pair in the folder ──▶ serving, and towards etcd: taken up as any file
 *                                                                   │      that changes (`credential-files.ts`)
 *                                                                   ├────▶ etcd reads its own at the next handshake
 *                                                                   └────▶ kubeconfig of the administrator, written again
 */
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import type { Logger } from '../observe/log.ts';
import { renewCertificates, type PkiOptions } from '../pki/folder.ts';

const hourMs = 3_600_000;
/** A machine that slept, or whose clock was set, is not an hour behind. */
const lookMs = 1_000;

export interface RenewalParts {
  readonly pki: Pick<PkiOptions, 'folder' | 'hosts'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after certificates were renewed. */
  readonly renewed: () => Promise<unknown>;
}

/** Renews until the returned function is called, which resolves when nothing is being written. */
export function keepCertificates(parts: RenewalParts): () => Promise<void> {
  const stopping = new AbortController();
  const running = keep(parts, stopping.signal);
  return () => {
    stopping.abort();
    return running;
  };
}

async function keep(parts: RenewalParts, signal: AbortSignal): Promise<void> {
  const { clock } = parts;
  // The start has just looked at them.
  const state: RenewalState = { lookedAt: clock.now(), hasRenewed: false };
  while (!signal.aborted) {
    if (Math.abs(clock.now() - state.lookedAt) >= hourMs) {
      state.lookedAt = clock.now();
      await renew(parts, state);
    }
    await pause(clock, lookMs, signal);
  }
}

interface RenewalState {
  lookedAt: number;
  /** Since `renewed` was last done. */
  hasRenewed: boolean;
}

/** What fails is tried again an hour later: the certificates in use are good for weeks. */
async function renew({ pki, clock, logger, renewed }: RenewalParts, state: RenewalState): Promise<void> {
  try {
    const { made, expiring } = await renewCertificates({ ...pki, now: clock.now() });
    if (expiring.length > 0)
      logger.warn(
        'authorities of the PKI expire within 30 days; a restart renews them, and clients need their new certificates',
        {
          authorities: expiring,
        },
      );
    state.hasRenewed ||= made.length > 0;
    if (!state.hasRenewed) return;
    if (made.length > 0) logger.info('certificates that were about to expire are renewed', { made });
    await renewed();
    state.hasRenewed = false;
  } catch (error) {
    logger.error('certificates of the PKI cannot be renewed', { err: error });
  }
}
