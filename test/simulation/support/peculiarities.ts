/** What some worlds of the storage have beside: an etcd that loses events, encryption, objects that expire. */
export const peculiarities = ['lossy', 'encrypted', 'expiring'] as const;
export type Peculiarity = (typeof peculiarities)[number];
