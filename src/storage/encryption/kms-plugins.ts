/** The KMS plugins of a configuration: one for each, shared by all collections, and kept when it is read again. */
import { KmsPlugin, type KmsPluginOptions } from './kms-plugin.ts';
import type { EncryptionRule, KmsProvider } from './rules.ts';

export interface KmsPluginsOptions extends Omit<KmsPluginOptions, 'times'> {
  readonly kmsTimes?: KmsPluginOptions['times'] | undefined;
}

export class KmsPlugins {
  readonly #options: KmsPluginsOptions;
  readonly #plugins = new Map<string, { readonly name: string; readonly plugin: KmsPlugin }>();
  /** Of plugins that are no longer configured. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: KmsPluginsOptions) {
    this.#options = options;
  }

  /** Starts the plugins of the rules, and closes others. */
  use(rules: readonly EncryptionRule[]): void {
    const wanted = rules.flatMap(({ providers }) => providers.filter((provider) => provider.kind === 'kms'));
    const names = new Set(wanted.map((provider) => JSON.stringify(provider)));
    for (const provider of wanted) this.of(provider);
    for (const [name, { plugin }] of this.#plugins) {
      if (names.has(name)) continue;
      this.#plugins.delete(name);
      const closing = plugin.close().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
  }

  of(provider: KmsProvider): KmsPlugin {
    const key = JSON.stringify(provider);
    let known = this.#plugins.get(key);
    if (known === undefined) {
      const { clock, metrics, onRecovered, kmsTimes } = this.#options;
      const options = { clock, metrics, onRecovered, ...(kmsTimes && { times: kmsTimes }) };
      known = { name: provider.name, plugin: new KmsPlugin(provider, options) };
      this.#plugins.set(key, known);
    }
    return known.plugin;
  }

  get problem(): string {
    const failing = [...this.#plugins.values()].filter(({ plugin }) => plugin.problem !== '');
    return failing.map(({ name, plugin }) => `${name}: ${plugin.problem}`).join('; ');
  }

  async close(): Promise<void> {
    const plugins = [...this.#plugins.values()].map(({ plugin }) => plugin.close());
    await Promise.all([...plugins, ...this.#closing]);
  }
}
