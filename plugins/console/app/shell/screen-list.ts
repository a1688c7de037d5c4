import type { ComponentType } from 'preact';
import type { RouteName } from '../../../../client/client.ts';
import { hasRoute, may, type Reader, type Session } from '../session/session.ts';
import type { Texts } from '../texts/texts.ts';

export type ScreenName = keyof Texts['screens'];
export type GroupName = keyof Texts['groups'];

/** A screen of the console. */
export interface Screen {
  readonly name: ScreenName;
  readonly group: GroupName;
  /** Without this route the plugin behind the screen is off, and the screen is absent. */
  readonly needs?: RouteName;
  /** Permissions of which the key needs one. */
  readonly permissions?: readonly string[];
  /** Whether the screen is for this reader, beyond permissions. */
  readonly isFor?: (reader: Reader) => boolean;
  /** Each is a file of its own, fetched when the screen is first opened. */
  readonly load: () => Promise<ComponentType>;
}

/** Administrators of the first tenant administer the node. */
const isOperator = ({ tenant_id: tenant }: Reader): boolean => tenant === 'default';

/** In the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  { name: 'overview', group: 'memory', load: async () => (await import('../screens/overview/overview.tsx')).Overview },
  {
    name: 'facts',
    group: 'memory',
    needs: 'GET /v1/facts',
    permissions: ['read'],
    load: async () => (await import('../screens/facts/facts.tsx')).Facts,
  },
  {
    name: 'entities',
    group: 'memory',
    needs: 'GET /v1/facts',
    permissions: ['read'],
    load: async () => (await import('../screens/entities/entities.tsx')).Entities,
  },
  {
    name: 'contradictions',
    group: 'memory',
    needs: 'GET /v1/conflicts',
    permissions: ['read'],
    load: async () => (await import('../screens/contradictions/contradictions.tsx')).Contradictions,
  },
  {
    name: 'recall',
    group: 'memory',
    needs: 'POST /v1/recall',
    permissions: ['read'],
    load: async () => (await import('../screens/recall/recall.tsx')).Recall,
  },
  {
    name: 'gardens',
    group: 'access',
    needs: 'GET /v1/gardens',
    permissions: ['read'],
    load: async () => (await import('../screens/gardens/gardens.tsx')).Gardens,
  },
  {
    name: 'keys',
    group: 'access',
    needs: 'GET /v1/auth/keys',
    load: async () => (await import('../screens/keys/keys.tsx')).Keys,
  },
  {
    name: 'capabilities',
    group: 'access',
    needs: 'GET /v1/federation/capability-tokens',
    permissions: ['read'],
    load: async () => (await import('../screens/capabilities/capabilities.tsx')).Capabilities,
  },
  {
    name: 'tenants',
    group: 'access',
    needs: 'GET /v1/tenants',
    permissions: ['admin'],
    isFor: isOperator,
    load: async () => (await import('../screens/tenants/tenants.tsx')).Tenants,
  },
  {
    name: 'subscriptions',
    group: 'exchange',
    needs: 'GET /v1/subscriptions',
    permissions: ['read'],
    load: async () => (await import('../screens/subscriptions/subscriptions.tsx')).Subscriptions,
  },
  {
    name: 'instructions',
    group: 'exchange',
    needs: 'GET /v1/agents/{agent_id}/instruction-manifest',
    permissions: ['read'],
    load: async () => (await import('../screens/instructions/instructions.tsx')).Instructions,
  },
  {
    name: 'peers',
    group: 'exchange',
    needs: 'GET /v1/federation/peers',
    permissions: ['federate'],
    load: async () => (await import('../screens/peers/peers.tsx')).Peers,
  },
  {
    name: 'erasure',
    group: 'node',
    needs: 'POST /v1/tombstones',
    permissions: ['admin'],
    load: async () => (await import('../screens/erasure/erasure.tsx')).Erasure,
  },
  {
    name: 'audit',
    group: 'node',
    needs: 'GET /v1/audit',
    permissions: ['read', 'admin', 'audit.read'],
    load: async () => (await import('../screens/audit/audit.tsx')).Audit,
  },
  {
    name: 'jobs',
    group: 'node',
    needs: 'GET /v1/jobs',
    permissions: ['read'],
    load: async () => (await import('../screens/jobs/jobs.tsx')).Jobs,
  },
  {
    name: 'settings',
    group: 'node',
    needs: 'GET /v1/node',
    permissions: ['admin'],
    isFor: isOperator,
    load: async () => (await import('../screens/settings/settings.tsx')).Settings,
  },
  {
    name: 'plugins',
    group: 'node',
    needs: 'GET /v1/node',
    permissions: ['admin'],
    isFor: isOperator,
    load: async () => (await import('../screens/plugins/plugins.tsx')).Plugins,
  },
];

/** The screens that this node has and this key may see. */
export const screensFor = ({ setup, reader }: Pick<Session, 'setup' | 'reader'>): readonly Screen[] =>
  SCREENS.filter(
    ({ needs, permissions = [], isFor }) =>
      (needs === undefined || hasRoute(setup, needs)) && may(reader, ...permissions) && (isFor?.(reader) ?? true),
  );
