/**
 * Bearer tokens in a subprotocol of a WebSocket, for web pages: browsers let them set no other header. Behaviour:
 * ProtocolAuthenticator in authentication/request/websocket of kube-apiserver.
 */

/** The header that lists the subprotocols, in lower case. */
export const protocolsHeader = 'sec-websocket-protocol';

export class SocketTokens {
  readonly #prefix: string;

  /** @param apiDomain domain of the names that the API defines */
  constructor(apiDomain: string) {
    this.#prefix = `base64url.bearer.authorization.${apiDomain}.`;
  }

  /**
   * The token in a list of subprotocols; '' if there is none. A list with several tokens, one that is not encoded well, or no
   * subprotocol beside it for the response gives a text that no authenticator knows.
   */
  tokenIn(protocols: string): string {
    const all = namesIn(protocols);
    const [found, ...more] = all.filter((name) => name.startsWith(this.#prefix));
    if (found === undefined || found === this.#prefix) return '';
    const token = decoded(found.slice(this.#prefix.length));
    return token === undefined || more.length > 0 || all.length === 1 ? protocols : token;
  }

  /** The subprotocols without tokens; the same text if it has none. */
  without(protocols: string): string {
    if (!protocols.includes(this.#prefix)) return protocols;
    return namesIn(protocols)
      .filter((name) => !name.startsWith(this.#prefix))
      .join(', ');
  }
}

function namesIn(protocols: string): string[] {
  return protocols.split(',').map((name) => name.trim());
}

function decoded(text: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'base64url'));
  } catch {
    return undefined;
  }
}
