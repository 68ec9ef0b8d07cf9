/** Imported before a suite over etcd, it makes that suite run over the etcd in memory. */
import { useMemoryEtcd } from './memory-cluster.ts';

useMemoryEtcd();
