/** Number of OOM kills in the own control group (Linux). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The count since the creation of the group; 0 if unknown. */
export async function countOomKills(): Promise<number> {
  const groups = await readText('/proc/self/cgroup');
  for (const line of groups.split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    // cgroup v2 has one unnamed hierarchy; v1 has one for memory.
    const isOne = controllers === '';
    if (path === '' || (!isOne && !controllers.split(',').includes('memory'))) continue;
    const [mount, file] = isOne
      ? ['/sys/fs/cgroup', 'memory.events']
      : ['/sys/fs/cgroup/memory', 'memory.oom_control'];
    // In a container the group is often the root of the mount.
    for (const folder of [join(mount, path), mount]) {
      const count = /^oom_kill (\d+)$/m.exec(await readText(join(folder, file)))?.[1];
      if (count !== undefined) return Number(count);
    }
  }
  return 0;
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
