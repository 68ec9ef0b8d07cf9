/** An apt with package lists and a cache of its own: those of the machine stay as they are. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a machine does after an update, such as emptying its cache: images of containers have these. */
const hooks = ['Pre-Invoke', 'Post-Invoke', 'Post-Invoke-Success'];

/**
 * Writes settings for lists and a cache in a folder. As arguments they are read after all settings of the machine, which hold
 * for the rest.
 * @param more further settings, by name
 * @returns arguments that come first in each call of apt-get
 */
export function privateApt(folder, more = {}) {
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  const settings = {
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    // Its own user cannot write here.
    'APT::Sandbox::User': '',
    ...more,
  };
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
    ...hooks.map((hook) => `#clear APT::Update::${hook};`),
  ];
  const file = join(folder, 'apt.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return ['-c', file];
}
