/**
 * The intermediate certificates of clients whose TLS sessions are resumed. A session ticket holds the client's own
 * certificate and nothing of its chain, so that a client behind an intermediate authority could not be known again.
 * Here its intermediates are kept, as the last full handshake of this certificate showed and TLS verified them.
 *
 *   full handshake     the chain is kept
 *   resumed            the chain is completed; the authenticators judge it by the authorities and the time of now
 *   renew              other ticket keys, and what was kept is forgotten: every client makes a full handshake next
 *
 * Whatever ticket can be read has its chain here, for keys and chains are renewed together: when there are too many, when
 * they are old, and with other certificates or authorities. Keys are a process' own: with `--workers` a client that reaches
 * another worker makes a full handshake (about 0.3 ms of the server's processor time more).
 */
import { randomBytes, type X509Certificate } from 'node:crypto';
import { systemClock, type Clock } from '../base/clock.ts';

export interface SessionLimits {
  /** Clients with intermediates, and different intermediates of all of them. */
  readonly maxClients: number;
  readonly maxIntermediates: number;
  /** Age of ticket keys. */
  readonly maxAgeMs: number;
}

const usualLimits: SessionLimits = { maxClients: 10_000, maxIntermediates: 1_000, maxAgeMs: 3_600_000 };
/** What Node takes for ticket keys: a name, and keys for encryption and authentication. */
const ticketKeyBytes = 48;

type Chain = readonly X509Certificate[];

interface SessionChainsOptions {
  /** Gets the ticket keys for all connections from now on. */
  readonly setTicketKeys: (keys: Buffer) => void;
  readonly limits?: SessionLimits;
  readonly clock?: Clock;
}

export class SessionChains {
  private readonly options: SessionChainsOptions;
  private readonly limits: SessionLimits;
  private readonly clock: Clock;
  private kept = new KeptChains();
  /** Of handshakes that began before the last renewal. */
  private before = new KeptChains();
  private renewedAt = 0;

  constructor(options: SessionChainsOptions) {
    this.options = options;
    this.limits = options.limits ?? usualLimits;
    this.clock = options.clock ?? systemClock;
    this.renew();
  }

  /** No ticket that was given out is good any more. */
  renew(): void {
    this.before = this.kept;
    this.kept = new KeptChains();
    this.renewedAt = this.clock.monotonic();
    this.options.setTicketKeys(randomBytes(ticketKeyBytes));
  }

  /**
   * Takes the verified chain of a connection whose handshake is over, leaf first, and gives the whole of it.
   * To be called for every such connection, for each has got a ticket.
   */
  complete(presented: Chain): Chain {
    const [leaf, ...intermediates] = presented;
    const client = leaf?.fingerprint256 ?? '';
    const above = intermediates.length > 0 ? intermediates : (this.kept.of(client) ?? this.before.of(client));
    this.renewWhenDue();
    if (leaf === undefined || above === undefined) return presented;
    this.kept.keep(client, above);
    return [leaf, ...above];
  }

  private renewWhenDue(): void {
    const { maxClients, maxIntermediates, maxAgeMs } = this.limits;
    const isFull = this.kept.clients >= maxClients || this.kept.intermediates >= maxIntermediates;
    if (isFull || this.clock.monotonic() - this.renewedAt > maxAgeMs) this.renew();
  }
}

/** Chains above clients; an intermediate that many share is there once. Keys are fingerprints. */
class KeptChains {
  private readonly byClient = new Map<string, Chain>();
  private readonly shared = new Map<string, X509Certificate>();

  get clients(): number {
    return this.byClient.size;
  }

  get intermediates(): number {
    return this.shared.size;
  }

  of(client: string): Chain | undefined {
    return this.byClient.get(client);
  }

  keep(client: string, above: Chain): void {
    this.byClient.set(
      client,
      above.map((certificate) => this.share(certificate)),
    );
  }

  private share(certificate: X509Certificate): X509Certificate {
    const known = this.shared.get(certificate.fingerprint256) ?? certificate;
    this.shared.set(known.fingerprint256, known);
    return known;
  }
}
