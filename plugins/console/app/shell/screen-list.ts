import type { ComponentType } from 'preact';
import type { RouteName } from '../../../../client/client.ts';
import { Audit } from '../screens/audit/audit.tsx';
import { Backups } from '../screens/backups/backups.tsx';
import { Capabilities } from '../screens/capabilities/capabilities.tsx';
import { Connect } from '../screens/connect/connect.tsx';
import { Contradictions } from '../screens/contradictions/contradictions.tsx';
import { Entities } from '../screens/entities/entities.tsx';
import { Erasure } from '../screens/erasure/erasure.tsx';
import { Facts } from '../screens/facts/facts.tsx';
import { Gardens } from '../screens/gardens/gardens.tsx';
import { Import } from '../screens/import/import.tsx';
import { Instructions } from '../screens/instructions/instructions.tsx';
import { Jobs } from '../screens/jobs/jobs.tsx';
import { Keys } from '../screens/keys/keys.tsx';
import { Overview } from '../screens/overview/overview.tsx';
import { Peers } from '../screens/peers/peers.tsx';
import { Plugins } from '../screens/plugins/plugins.tsx';
import { Recall } from '../screens/recall/recall.tsx';
import { Relations } from '../screens/relations/relations.tsx';
import { Settings } from '../screens/settings/settings.tsx';
import { Subscriptions } from '../screens/subscriptions/subscriptions.tsx';
import { Tenants } from '../screens/tenants/tenants.tsx';
import { Terms } from '../screens/terms/terms.tsx';
import { Timeline } from '../screens/timeline/timeline.tsx';
import { hasRoute, may, type Reader, type Session } from '../session/session.ts';
import type { Texts } from '../texts/texts.ts';

export type ScreenName = keyof Texts['screens'];
export type GroupName = keyof Texts['groups'];

export interface Screen {
  readonly name: ScreenName;
  readonly group: GroupName;
  /** The route of the plugin behind the screen. Without it, the screen is absent. */
  readonly needs?: RouteName;
  /** Permissions of the screen: the key needs one of them. */
  readonly permissions?: readonly string[];
  /** A further condition beyond permissions. */
  readonly isFor?: (reader: Reader) => boolean;
  readonly view: ComponentType;
}

/** True for administrators of the first tenant, who administer the node. */
const isOperator = ({ tenant_id: tenant }: Reader): boolean => tenant === 'default';

/** The screens of the console, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  { name: 'overview', group: 'memory', view: Overview },
  {
    name: 'facts',
    group: 'memory',
    needs: 'GET /v1/facts',
    permissions: ['read'],
    view: Facts,
  },
  {
    name: 'entities',
    group: 'memory',
    needs: 'GET /v1/facts',
    permissions: ['read'],
    view: Entities,
  },
  {
    name: 'timeline',
    group: 'memory',
    needs: 'GET /v1/timeline',
    permissions: ['read'],
    view: Timeline,
  },
  {
    name: 'contradictions',
    group: 'memory',
    needs: 'GET /v1/conflicts',
    permissions: ['read'],
    view: Contradictions,
  },
  {
    name: 'relations',
    group: 'memory',
    needs: 'GET /v1/relations',
    permissions: ['admin'],
    view: Relations,
  },
  {
    name: 'recall',
    group: 'memory',
    needs: 'POST /v1/recall',
    permissions: ['read'],
    view: Recall,
  },
  { name: 'terms', group: 'memory', permissions: ['read'], view: Terms },
  {
    name: 'gardens',
    group: 'access',
    needs: 'GET /v1/gardens',
    permissions: ['read'],
    view: Gardens,
  },
  {
    name: 'keys',
    group: 'access',
    needs: 'GET /v1/auth/keys',
    view: Keys,
  },
  {
    name: 'connect',
    group: 'access',
    needs: 'GET /v1/connect/clients',
    permissions: ['read'],
    view: Connect,
  },
  {
    name: 'capabilities',
    group: 'access',
    needs: 'GET /v1/federation/capability-tokens',
    permissions: ['read'],
    view: Capabilities,
  },
  {
    name: 'tenants',
    group: 'access',
    needs: 'GET /v1/tenants',
    permissions: ['admin'],
    isFor: isOperator,
    view: Tenants,
  },
  {
    name: 'subscriptions',
    group: 'exchange',
    needs: 'GET /v1/subscriptions',
    permissions: ['read'],
    view: Subscriptions,
  },
  {
    name: 'instructions',
    group: 'exchange',
    needs: 'GET /v1/agents/{agent_id}/instruction-manifest',
    permissions: ['read'],
    view: Instructions,
  },
  {
    name: 'import',
    group: 'exchange',
    needs: 'POST /v1/imports',
    permissions: ['write'],
    view: Import,
  },
  {
    name: 'peers',
    group: 'exchange',
    needs: 'GET /v1/federation/peers',
    permissions: ['federate'],
    view: Peers,
  },
  {
    name: 'erasure',
    group: 'node',
    needs: 'POST /v1/tombstones',
    permissions: ['admin'],
    view: Erasure,
  },
  {
    name: 'audit',
    group: 'node',
    needs: 'GET /v1/audit',
    permissions: ['read', 'admin', 'audit.read'],
    view: Audit,
  },
  {
    name: 'jobs',
    group: 'node',
    needs: 'GET /v1/jobs',
    permissions: ['read'],
    view: Jobs,
  },
  {
    name: 'backups',
    group: 'node',
    needs: 'GET /v1/backups',
    permissions: ['admin'],
    isFor: isOperator,
    view: Backups,
  },
  {
    name: 'settings',
    group: 'node',
    needs: 'GET /v1/node',
    permissions: ['admin'],
    isFor: isOperator,
    view: Settings,
  },
  {
    name: 'plugins',
    group: 'node',
    needs: 'GET /v1/node',
    permissions: ['admin'],
    isFor: isOperator,
    view: Plugins,
  },
];

/** The screens that this node has and this key may see. */
export const screensFor = ({ setup, reader }: Pick<Session, 'setup' | 'reader'>): readonly Screen[] =>
  SCREENS.filter(
    ({ needs, permissions = [], isFor }) =>
      (needs === undefined || hasRoute(setup, needs)) && may(reader, ...permissions) && (isFor?.(reader) ?? true),
  );
