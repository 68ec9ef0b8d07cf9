/**
 * The intermediate certificates of clients with resumed TLS sessions. A session ticket contains only the leaf
 * certificate of the client, so a client with an intermediate CA could not be authenticated. The intermediates of the
 * last full handshake of a certificate, as verified by TLS, are kept here.
 *
 *   full handshake     the chain is stored
 *   resumed            the chain is completed; the authenticator verifies it against the current CA bundle and time
 *   renew              new ticket keys, and stored chains are dropped: every client makes a full handshake next
 *
 * Every readable ticket has its chain here, as keys and chains are renewed together: when there are too many, when
 * they are old, and when certificates or CA bundles change. Each process has its own keys: with `--workers` a client
 * that reaches another worker makes a full handshake (about 0.3 ms more CPU time).
 */
import { randomBytes, type X509Certificate } from 'node:crypto';
import { systemClock, type PassiveClock } from '../base/clock.ts';

export interface SessionLimits {
  /** Maximum number of clients with intermediates, and of distinct intermediates. */
  readonly maxClients: number;
  readonly maxIntermediates: number;
  /** Maximum age of ticket keys. */
  readonly maxAgeMs: number;
}

const usualLimits: SessionLimits = { maxClients: 10_000, maxIntermediates: 1_000, maxAgeMs: 3_600_000 };
/** Size of ticket keys in Node: a name, and keys for encryption and authentication. */
const ticketKeyBytes = 48;

type Chain = readonly X509Certificate[];

interface SessionChainsOptions {
  /** Sets the ticket keys of new connections. */
  readonly setTicketKeys: (keys: Buffer) => void;
  readonly limits?: SessionLimits;
  readonly clock?: PassiveClock;
}

export class SessionChains {
  private readonly options: SessionChainsOptions;
  private readonly limits: SessionLimits;
  private readonly clock: PassiveClock;
  private kept = new ChainStore();
  /** Chains of handshakes that began before the last renewal. */
  private before = new ChainStore();
  private renewedAt = 0;

  constructor(options: SessionChainsOptions) {
    this.options = options;
    this.limits = options.limits ?? usualLimits;
    this.clock = options.clock ?? systemClock;
    this.renew();
  }

  /** Invalidates all tickets. */
  renew(): void {
    this.before = this.kept;
    this.kept = new ChainStore();
    this.renewedAt = this.clock.monotonic();
    this.options.setTicketKeys(randomBytes(ticketKeyBytes));
  }

  /**
   * Takes the verified chain of a completed handshake, leaf first, and returns the whole chain. Must be called for
   * every such connection, as each has received a ticket.
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

/** Chains by client, keyed by fingerprint; shared intermediates are stored once. */
class ChainStore {
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
