/**
 * The routes of a node as types, written by `npm run docs` from the schemas by which the node checks requests and
 * replies. Changes by hand are lost.
 */
import type { EventMessage } from './event-message.ts';

type Maybe<T> = T | undefined;

/** What a client asserts */
export interface Assertion {
  /** What the fact is about: a URI or an own id. */
  entity: string;
  /** What is said of it, such as `memory:role`; without white space. */
  relation: string;
  value: SentValue;
  /** Where the fact comes from: a URI or an own id. */
  source: string;
  /** 0 retracts what was said before. Default: `1`. */
  confidence?: number | null | undefined;
  /** Who may read the fact. Default: `"local"`. */
  scope?: Scope | null | undefined;
  /** When the fact begins to hold; at once, unless given. At most `valid_until`. */
  valid_from?: string | null | undefined;
  /** When the fact expires. */
  valid_until?: string | null | undefined;
  /** When it was so; now, unless given. At most 300 seconds ahead. */
  timestamp?: string | null | undefined;
  /** The session, if named, must be the one of the header. */
  session_id?: string | null | undefined;
  /** Has no effect: the node assigns it. */
  id?: unknown;
  /** Has no effect: the node assigns it. */
  hlc?: unknown;
  /** Has no effect: the node assigns it. */
  cid?: unknown;
  /** Has no effect: the node assigns it. */
  attested?: unknown;
  /** Has no effect: the node assigns it. */
  received_from?: unknown;
  /** Has no effect: the node assigns it. */
  tenant_id?: unknown;
  /** Garden that the fact is asserted in, by URI, id or slug. */
  garden_id?: string | null | undefined;
  /** Signature of an agent key over the assertion as it is sent. */
  attestation?: { key_id: string; signature: string } | null | undefined;
  /** Facts that this one was derived from, by content id or by id. */
  derived_from?:
    | readonly ({ fact_id?: string | null | undefined; hash?: string | null | undefined } | string)[]
    | null
    | undefined;
  /** Ids of the live facts of its triple and place that this one ends, if all of them are still live. */
  replaces?: readonly string[] | null | undefined;
  /** The reason for this fact, in a sentence; the node keeps it in a system fact about this one. */
  reason?: string | null | undefined;
  /** Assert, or summarize_with_provenance where the fact sums up those it was derived from. Default: `"assert"`. */
  write_mode?: 'assert' | 'summarize_with_provenance' | null | undefined;
}

/** A contradiction, as far as the caller sees its facts */
export interface Conflict {
  conflict_id: string;
  fact_a: Fact;
  fact_b: Fact;
  members: string[];
  truncated?: true;
  status: 'unresolved' | 'resolved';
  resolved_by: string | null;
  detected_at: string;
}

/** A fact as the caller sees it */
export interface Fact {
  id: string;
  entity: string;
  relation: string;
  value: FactValue;
  source: string;
  timestamp: string;
  hlc: string;
  received_from: string | null;
  valid_from?: string;
  valid_until: string | null;
  confidence: number;
  scope: Scope;
  garden_id: string | null;
  cid: string | null;
  contradicted: boolean;
  differs_elsewhere?: true;
  attested: boolean | null;
  attested_key_id: string | null;
  origin_node_id: string | null;
  origin_allowed_scopes: null;
  origin_id?: string;
  warnings: string[];
  derived_from: string[];
  replaces?: string[];
  damaged?: string;
  source_trust: number | null;
  effective_confidence: number | null;
  quarantine_status: string | null;
  quarantine_garden_id: string | null;
  sanitizer_warnings: never[];
  sanitizer_redacted: false;
  contradiction?: {
    fact_ids: string[];
    conflict_id: string;
    correct: string;
    settle: string;
    hold_many?: string;
  };
  ended?: 'retracted' | 'superseded';
  not_granted?: 'retraction' | 'resolution' | 'replacement';
  origin_verified?: boolean;
}

/** An audit entry about a fact */
export interface FactEntry {
  id: string;
  fact_id: string | null;
  event_type: string;
  entity_uri: string;
  oidc_sub: string | null;
  source: string;
  attested_key_id: string | null;
  ts: string;
  attested_key_entity_uri: string | null;
  attested_key_description: string | null;
  fact_entity: string | null;
  fact_relation: string | null;
  fact_value_type: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null' | null;
  fact_value_v: string | number | boolean | null;
  fact_scope: Scope | null;
  recall: { facts: number; tokens: number; fact_ids: string[] } | null;
}

/** The members of a fact that `fields` names */
export type FactPart = Partial<Fact>;

/** A value with its type */
export interface FactValue {
  type: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null';
  v: string | number | boolean | null;
  interpret_as: 'content' | 'instruction';
}

/** A part of a scope that only its members see */
export interface Garden {
  id: string;
  garden_id: string;
  slug: string;
  name: string;
  scope: Scope;
  description: string | null;
  created_by: string;
  created_at: string;
  members: GardenMember[];
  quarantine: boolean;
  truncated?: true;
}

/** An entity that belongs to a garden */
export interface GardenMember {
  entity_uri: string;
  role: 'admin' | 'writer' | 'reader' | 'quarantine:moderator';
  added_by: string;
  added_at: string;
}

/** The recorded changes of facts, and their winners */
export interface History {
  events: {
    event: 'asserted' | 'received' | 'retracted' | 'resolved';
    recorded_at: string;
    stamp: string;
    fact: Fact;
    contradicts: string[];
    ends: string[];
    ended: {
      at: string;
      by: 'retraction' | 'resolution' | 'replacement' | 'valid_until' | 'ttl';
      fact_id: string | null;
    } | null;
  }[];
  winners: {
    entity: string;
    relation: string;
    scope: Scope;
    periods: { fact_ids: string[]; from: string; until: string | null }[];
    truncated?: true;
  }[];
  cursor: string | null;
}

/** The findings of a check */
export interface LintReport {
  findings: {
    check: 'contradiction' | 'stale' | 'orphan' | 'broken_ref' | 'namespacing';
    severity: 'error' | 'warning' | 'info';
    entity: string;
    relation: string | null;
    fact_ids: string[];
    detail: string;
  }[];
  proposed_rules?: { relation: string; fact_ids: string[]; call: string }[];
  truncated?: true;
  checked_at: string;
  scope: Scope | 'all';
  entity?: string;
  relation?: string;
  checks_run: ('contradiction' | 'stale' | 'orphan' | 'broken_ref' | 'namespacing')[];
  fact_count: number;
}

/** Why a request failed */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  instance?: string;
  request_id?: string;
  errors?: { path: string; message: string }[];
  hint?: string;
  [name: string]: unknown;
}

/** The facts that matter to a question, within a budget */
export interface Recall {
  recall_id: string;
  query_hash: string;
  token_budget: number;
  tokens_used: number;
  truncated: boolean;
  total_scored: number;
  facts: ScoredFact[];
  content?: ScoredFact[];
  instructions?: ScoredFact[];
  omitted: OmittedFacts;
  degraded: string[];
  why_not?: WhyNot[];
  tombstone_notices: unknown[];
  chain_proof: LedgerProof | null;
}

/** A recall with the members of facts that `fields` names */
export interface RecallPart {
  recall_id: string;
  query_hash: string;
  token_budget: number;
  tokens_used: number;
  truncated: boolean;
  total_scored: number;
  facts: ScoredPart[];
  omitted: OmittedFacts;
  degraded: string[];
  why_not?: WhyNot[];
  tombstone_notices: unknown[];
  chain_proof: LedgerProof | null;
}

/** A fact that was recalled, with its score and every factor of it */
export interface ScoredFact {
  fact: Fact;
  score: number;
  hop_distance: number;
  token_estimate: number;
  from_card: boolean;
  also?: number;
  also_ids?: string[];
  why?: { found_by: FoundBy; rank: number; packed: number };
  score_breakdown: {
    lexical: number;
    semantic: number;
    graph: number;
    fused: number;
    named: number;
    timed: number;
    recency: number;
    confidence: number;
    access: number;
    contradiction: number;
    garden_tier: number;
    source_trust: number;
    weighted_total: number;
  };
}

/** A fact that was recalled, for a caller that named `fields` */
export interface ScoredPart {
  fact: FactPart;
  score: number;
  from_card?: true;
  value_length?: number;
  also?: number;
  also_ids?: string[];
  why?: { found_by: FoundBy; rank: number; packed: number };
}

/** A value to be stored */
export interface SentValue {
  type: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null';
  /**
   * As the type says: a string of at most 16 KiB, a text of at most 1 MiB, a number, a boolean, an RFC 3339
   * instant or date, the URI or id of an entity, or null.
   */
  v?: string | number | boolean | null | undefined;
  /** An instruction needs the permission `instruction:write`. Default: `"content"`. */
  interpret_as?: 'content' | 'instruction' | null | undefined;
}

/** What a caller is told of, and where */
export interface Subscription {
  id: string;
  subscriber_identity: string;
  target: string;
  target_type: 'entity' | 'scope' | 'garden';
  target_kind: 'entity' | 'scope' | 'garden';
  on_change: 'webhook';
  webhook_url: string | null;
  delivery_address: string | null;
  idempotency_key: string | null;
  event_types: ('fact_asserted' | 'fact_retracted' | 'conflict_opened' | 'conflict_resolved')[] | null;
  status: 'active' | 'cancelled';
  cancelled_reason?: 'access_revoked' | 'endpoint_gone';
  delivery_problem?: 'secret_unreadable';
  former_secret_ends_at?: string;
  created_at: string;
  last_delivered_at: string | null;
  circuit_open: boolean;
  consecutive_failures: number;
  replay_window_s: number;
}

/** The strongest facts of a scope, with counts */
export interface Synthesis {
  scope: Scope | 'all';
  fact_count: number;
  facts: {
    id: string;
    entity: string;
    relation: string;
    value: SummarizedValue;
    confidence: number;
    timestamp: string;
    valid_from?: string;
    valid_until: string | null;
    is_expired: boolean;
    age_seconds: number;
    contradicted: boolean;
    source: string;
    scope?: Scope;
    garden_id?: string;
  }[];
  summary: {
    entity: string;
    relation: string;
    value: SummarizedValue;
    confidence: number;
    hlc: string;
    contradicted: boolean;
    alt_value: SummarizedValue | null;
    alt_confidence: number | null;
    scope?: Scope;
    garden_id?: string;
  }[];
  contradiction_count: number;
  filtered_count: number;
  mean_confidence: number | null;
  freshest_timestamp: string | null;
  oldest_timestamp: string | null;
  expired_fact_count: number;
  synthesized_at: string;
  truncated?: true;
}

/** A tenant */
export interface Tenant {
  id: string;
  name: string | null;
  status: 'active' | 'suspended' | 'erasing' | 'erased';
  created_at: string;
  suspended_at: string | null;
}

/** A tenant with its counts and its erasure */
export interface TenantReport {
  id: string;
  name: string | null;
  status: 'active' | 'suspended' | 'erasing' | 'erased';
  created_at: string;
  suspended_at: string | null;
  counts: Record<string, number>;
  erasure: {
    requested_by: string;
    requested_at: string;
    rows: Record<string, number>;
    job_id: string | null;
    receipt: {
      tenant_id: string;
      requested_by: string;
      requested_at: string;
      erased_at: string;
      erased: Record<string, number>;
      remains: string[];
      limits: string[];
      signed_by: string;
      key_id: string | null;
      signature: string | null;
    } | null;
  } | null;
}

/** Each route by its method and path; `answers` are its bodies by status. A plugin can add its own routes. */
export interface Api {
  /** Name and version of this node, with links to its open documents. Needs: open. */
  'GET /': {
    answers: { 200: { name: string; version: string; links: { href: string; title: string }[] } };
  };
  /** Names the endpoints for clients (RFC 8414). Needs: open. */
  'GET /.well-known/oauth-authorization-server': {
    answers: { 200: AuthorizationServer };
  };
  /** Which identity provider vouches for callers. Needs: open. */
  'GET /.well-known/oauth-protected-resource': {
    answers: {
      200: {
        resource: string;
        authorization_servers: string[];
        bearer_methods_supported: string[];
        resource_documentation: string;
        client_id: string | null;
      };
    };
  };
  /** Names the authorization servers of this node (RFC 9728). Needs: open. */
  'GET /.well-known/oauth-protected-resource/v1/mcp': {
    answers: {
      200: {
        resource: string;
        authorization_servers: string[];
        scopes_supported: string[];
        bearer_methods_supported: string[];
        resource_documentation: string;
      };
    };
  };
  /** Names the endpoints at the path of OpenID Connect. Needs: open. */
  'GET /.well-known/openid-configuration': {
    answers: { 200: AuthorizationServer };
  };
  /** Node metadata. Needs: open. */
  'GET /.well-known/svc': {
    answers: {
      200: {
        version: string;
        node_id: string;
        node_url: string;
        auth: 'none' | 'required';
        federation: 'disabled' | 'enabled';
        source_attestation: 'enforce' | 'warn' | 'off';
        namespaces: string[];
        unicode_version: string;
        spec: string;
        cors: { dev_localhost: boolean; configured: boolean };
        federation_pubkey: string;
        federation_keys: {
          key_id: string;
          public_key: string;
          valid_from: string;
          valid_until: string | null;
          signed_by: { key_id: string; signature: string } | null;
        }[];
        [name: string]: unknown;
      };
    };
  };
  /** The console, as people type its address. Needs: open. */
  'GET /console': {
    answers: { 200: string };
  };
  /** The console, as a page. Needs: open. */
  'GET /console/': {
    answers: { 200: string };
  };
  /** The console, at one of its screens. Needs: open. */
  'GET /console/{place}': {
    params: { place: string };
    answers: { 200: string };
  };
  /** A script or style sheet of the console. Needs: open. */
  'GET /console/files/{name}': {
    params: { name: string };
    answers: { 200: string };
  };
  /** What the console needs to know before anybody has signed in. Needs: open. */
  'GET /console/setup.json': {
    answers: {
      200: {
        service: string;
        display_name: string;
        version: string;
        node_id: string;
        routes: string[];
        screens: {
          name: string;
          title: string;
          permissions: string[];
          script: string;
          style: string | null;
        }[];
        asks_for_key: boolean;
        has_sign_in: boolean;
      };
    };
  };
  /** Where people sign in by the identity provider of this node; null where they do not. Needs: open. */
  'GET /console/sign-in.json': {
    answers: { 200: { sign_in: { issuer: string; client_id: string; authorization_endpoint: string } | null } };
  };
  /** Whether the node can serve and store. Needs: open. */
  'GET /healthz': {
    answers: { 200: { status: 'ok' } };
  };
  /** The page on which a person signs in to give a remote client access. Needs: open. */
  'GET /oauth/authorize': {
    query?: Maybe<AuthorizationQuery>;
    answers: { 200: string };
  };
  /** An empty key set, because no token of this node is signed. Needs: open. */
  'GET /oauth/jwks.json': {
    answers: { 200: { keys: string[] } };
  };
  /** Sends a person to the identity provider, to sign in for the consent page. Needs: open. */
  'GET /oauth/provider': {
    query?: Maybe<AuthorizationQuery>;
    answers: { 200: string };
  };
  /** Registers a remote client that has no metadata document. Needs: open. */
  'POST /oauth/register': {
    body: {
      redirect_uris: readonly string[];
      client_name?: string | undefined;
      token_endpoint_auth_method?: string | undefined;
      grant_types?: readonly string[] | undefined;
      response_types?: readonly string[] | undefined;
    };
    answers: {
      201: {
        client_id: string;
        client_id_issued_at: number;
        client_name: string;
        redirect_uris: string[];
        token_endpoint_auth_method: string;
        grant_types: string[];
        response_types: string[];
      };
    };
  };
  /** Takes the answer of the identity provider, and shows the consent page. Needs: open. */
  'GET /oauth/signed-in': {
    query?: Maybe<{
      state?: string | undefined;
      code?: string | undefined;
      iss?: string | undefined;
      error?: string | undefined;
    }>;
    answers: { 200: string };
  };
  /** Describes every route of this node as OpenAPI 3.1. Needs: open. */
  'GET /openapi.json': {
    answers: { 200: OpenApiDocument };
  };
  /** Whether requests should be sent to this process. Needs: open. */
  'GET /readyz': {
    answers: { 200: { status: 'ready' } };
  };
  /** The API reference of this node, as a page. Needs: open. */
  'GET /spec': {
    answers: { 200: string };
  };
  /** Audit log of the tenant, oldest first. Needs: audit.read. */
  'GET /v1/admin/audit': {
    query?: Maybe<AuditQuery>;
    answers: {
      200: {
        entries: {
          seq: number;
          id: string;
          fact_id: string | null;
          event_type: string;
          entity_uri: string;
          oidc_sub: string | null;
          source: string;
          attested_key_id: string | null;
          ts: string;
          tenant_id: string;
          detail: string | null;
          detail_salt: string | null;
        }[];
        total: number;
        next_cursor: number | null;
      };
    };
  };
  /** Billing ledger of the tenant, newest first. Needs: admin. */
  'GET /v1/admin/billing/events': {
    query?: Maybe<{
      tenant_id?: string | undefined;
      event_type?: 'fact_written' | 'garden_created' | undefined;
      entity_uri?: string | undefined;
      since?: string | undefined;
      until?: string | undefined;
      cursor?: string | undefined;
      /** Default: `200`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        events: {
          event_type: 'fact_written' | 'garden_created';
          tenant_id: string;
          entity_uri: string;
          fact_id: string | null;
          garden_id: string | null;
          ts: string;
        }[];
        total: number;
        cursor: string | null;
      };
    };
  };
  /** How many facts still lack a content id. Needs: admin. */
  'GET /v1/admin/cid-backfill/status': {
    answers: {
      200: { total_facts: number; backfilled_facts: number; pending_facts: number; backfill_complete: boolean };
    };
  };
  /** How complete the search indexes are, and which job builds them anew. Needs: admin. */
  'GET /v1/admin/reindex': {
    answers: {
      200: {
        indexes: {
          name: string;
          summary: string;
          state: 'complete' | 'building';
          done?: number;
          total?: number;
          error?: string;
          details?: Record<string, string | number>;
        }[];
        job_id: string | null;
      };
    };
  };
  /** Builds search indexes anew while the node serves. Needs: admin. */
  'POST /v1/admin/reindex': {
    body?: Maybe<{ what?: readonly string[] | undefined }>;
    answers: { 202: StartedJob };
  };
  /** An agent's current instruction manifest. Needs: read. */
  'GET /v1/agents/{agent_id}/instruction-manifest': {
    params: { agent_id: string };
    answers: {
      200: {
        manifest_version: string;
        fact_uri: string;
        token_count: number;
        entries: {
          name: string;
          description: string;
          fact_uri: string;
          cid?: string;
          load_triggers: { intents: string[]; keywords: string[]; task_types: string[] };
          token_estimate: number;
          guarantee_load: boolean;
          required_by_task_types?: string[];
          force_position?: 'prepend';
        }[];
        last_updated_at: string;
      };
    };
  };
  /** Publishes a version of an agent's instruction manifest. Needs: write. */
  'PUT /v1/agents/{agent_id}/instruction-manifest': {
    params: { agent_id: string };
    body: {
      /** The name of this version; a version never changes. */
      version: string;
      entries: readonly {
        /** The name of the unit, once in a manifest, without white space. */
        name: string;
        /** What the unit is about. */
        description: string;
        /** The entity with the text: `instruction:<deployment>/agent/<agent_id>/<name>/<version>`. */
        fact_uri: string;
        /** Pins the text: only the fact with this content id is loaded. */
        cid?: string | null | undefined;
        /** A unit never names a file. */
        path?: null | undefined;
        /** What an agent is about to do when it needs the unit. */
        load_triggers?:
          | {
              intents?: readonly string[] | null | undefined;
              keywords?: readonly string[] | null | undefined;
              task_types?: readonly string[] | null | undefined;
            }
          | null
          | undefined;
        token_estimate?: number | null | undefined;
        /** The unit is loaded whatever the intent; at most five of a manifest. */
        guarantee_load?: boolean | null | undefined;
        /** Another name of `guarantee_load`. */
        guaranteed_load?: boolean | null | undefined;
        /** The unit comes first. */
        force_position?: 'prepend' | null | undefined;
        required_by_task_types?: readonly string[] | null | undefined;
      }[];
      /** Publishes the manifest although a unit has no live fact yet. Default: `false`. */
      skip_coverage_gate?: boolean | null | undefined;
    };
    answers: {
      200: {
        fact_uri: string;
        token_count: number;
        coverage_report: { unit: string; coverage_pct: 0 | 1; passed: boolean }[];
      };
    };
  };
  /** The instructions that an agent needs for what it is about to do. Needs: read. */
  'POST /v1/agents/{agent_id}/recall-instruction': {
    params: { agent_id: string };
    body: {
      intent: string;
      /** Default: `3`. */
      max_chunks?: number | undefined;
      /** Default: `2000`. */
      token_budget?: number | undefined;
      /** Default: `[]`. */
      manifest_hint?: readonly string[] | undefined;
    };
    answers: {
      200: {
        chunks: {
          name: string;
          fact_uri: string;
          content: string;
          tokens: number;
          valid_until: string | null;
          version: string | null;
          score: number;
          source: string;
        }[];
        total_tokens: number;
        truncated: boolean;
        missed_hints: string[];
        audit_token: string;
      };
    };
  };
  /**
   * Audit entries with their facts, newest first; all of the tenant for admin and audit.read, else own ones.
   * Needs: read or admin or audit.read.
   */
  'GET /v1/audit': {
    query?: Maybe<{
      since?: string | undefined;
      until?: string | undefined;
      event_type?: string | undefined;
      entity_uri?: string | undefined;
      source?: string | undefined;
      fact_id?: string | undefined;
      oidc_sub?: string | undefined;
      attested?: boolean | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: { 200: { entries: FactEntry[]; total: number; cursor: string | null } };
  };
  /**
   * Audit entries with their facts, as CSV newest first, or as JSON lines with their links oldest first. Needs:
   * read or admin or audit.read.
   */
  'GET /v1/audit/export': {
    query?: Maybe<{
      since?: string | undefined;
      until?: string | undefined;
      event_type?: string | undefined;
      entity_uri?: string | undefined;
      source?: string | undefined;
      fact_id?: string | undefined;
      oidc_sub?: string | undefined;
      attested?: boolean | undefined;
      format?: 'csv' | 'jsonl' | undefined;
    }>;
    answers: { 200: string };
  };
  /** Audit entries of one fact, oldest first. Needs: read or admin or audit.read. */
  'GET /v1/audit/facts/{id}': {
    params: { id: string };
    answers: { 200: FactEntry[] };
  };
  /**
   * Use of the memory by day (UTC), entity and key, from the entries and counts of reads that the caller may see,
   * newest first. Needs: read or admin or audit.read.
   */
  'GET /v1/audit/use': {
    query?: Maybe<{
      since?: string | undefined;
      until?: string | undefined;
      event_type?: string | undefined;
      entity_uri?: string | undefined;
      source?: string | undefined;
      fact_id?: string | undefined;
      oidc_sub?: string | undefined;
      attested?: boolean | undefined;
      cursor?: string | undefined;
      /** Entries and counts of reads to sum up; the next request goes on behind them. Default: `500`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        days: {
          day: string;
          entity_uri: string;
          key_id: string | null;
          reads: number;
          writes: number;
          recalls: number;
          others: number;
          tokens: number;
          written_bytes: number;
          recalled_bytes: number;
        }[];
        counted: number;
        cursor: string | null;
      };
    };
  };
  /**
   * Whether entries of the audit log were changed, left out or put in, a part at a time. Needs: admin or
   * audit.read.
   */
  'GET /v1/audit/verify': {
    query?: Maybe<{ cursor?: string | undefined }>;
    answers: {
      200: {
        tenant_id: string;
        ok: boolean;
        checked: number;
        details_gone: number;
        verified: { seq: number; chain_seq: number; hash: string } | null;
        head: { seq: number; chain_seq: number; hash: string } | null;
        next_cursor: number | null;
        checkpoint: {
          kind: string;
          version: 1;
          node_id: string;
          tenant_id: string;
          covered_seq: number;
          covered_chain_seq: number;
          created_at: string;
          public_key: string | null;
          signature: string | null;
          id: string;
          log_index: number;
          chain_hash: string;
          prev_hash: string | null;
        } | null;
        stub: {
          kind: string;
          version: 1;
          node_id: string;
          tenant_id: string;
          covered_seq: number;
          covered_chain_seq: number;
          created_at: string;
          public_key: string | null;
          signature: string | null;
          count: number;
          chain_hash: string | null;
          until: string;
        } | null;
        problem: { reason: string; seq: number | null; chain_seq: number; entry_id: string | null } | null;
      };
    };
  };
  /** The caller's agent keys, newest first. Needs: any key. */
  'GET /v1/auth/agent-keys': {
    answers: { 200: AgentKey[] };
  };
  /** Registers a public key with which the caller signs what it asserts. Needs: write. */
  'POST /v1/auth/agent-keys': {
    body: { public_key: string; description?: string | null | undefined };
    answers: { 201: AgentKey };
  };
  /** Revokes an own agent key. Needs: any key. */
  'DELETE /v1/auth/agent-keys/{id}': {
    params: { id: string };
    answers: { 204: undefined };
  };
  /** Audit log of the tenant, oldest first. Needs: admin or audit.read. */
  'GET /v1/auth/audit': {
    query?: Maybe<AuditQuery>;
    answers: {
      200: {
        entries: {
          seq: number;
          id: string;
          fact_id: string | null;
          event_type: string;
          entity_uri: string;
          oidc_sub: string | null;
          source: string;
          attested_key_id: string | null;
          ts: string;
          tenant_id: string;
          detail: Record<string, unknown> | null;
        }[];
        total: number;
        next_cursor: number | null;
      };
    };
  };
  /** The caller's active keys, newest first; with `all` those of the tenant, for an admin. Needs: any key. */
  'GET /v1/auth/keys': {
    query?: Maybe<{
      /** Default: `false`. */
      all?: boolean | undefined;
      search?: string | undefined;
      /** Default: `1000`. */
      limit?: number | undefined;
    }>;
    answers: { 200: NewApiKey[] };
  };
  /** Registers a key that the caller chose. Needs: admin. */
  'POST /v1/auth/keys': {
    body: {
      raw_key: string;
      entity_uri: string;
      /** Default: `["read","write"]`. */
      permissions?:
        | readonly ('read' | 'write' | 'admin' | 'audit.read' | 'instruction:write' | 'federate')[]
        | undefined;
      /** Default: `["local","team","company","public"]`. */
      allowed_scopes?: readonly Scope[] | undefined;
      description?: string | null | undefined;
      expires_at?: string | null | undefined;
      tenant_id?: string | undefined;
    };
    answers: { 201: NewApiKey };
  };
  /** Revokes a key: an own one, or any of the tenant for an admin. Needs: any key. */
  'DELETE /v1/auth/keys/{id}': {
    params: { id: string };
    answers: { 204: undefined };
  };
  /**
   * Replaces a key, an own one or any of the tenant for an admin; the former one stays good for a while. Needs:
   * any key.
   */
  'POST /v1/auth/keys/{id}/rotate': {
    params: { id: string };
    body: {
      raw_key: string;
      /** Default: `86400`. */
      overlap_s?: number | undefined;
    };
    answers: {
      201: {
        id: string;
        entity_uri: string;
        permissions: string[];
        allowed_scopes: Scope[];
        tenant_id: string;
        oidc_sub: string | null;
        description: string | null;
        created_at: string;
        expires_at: string | null;
        last_used_at: string | null;
        replaces: { id: string; expires_at: string };
      };
    };
  };
  /** The tenant's active keys that expire within some days, soonest first. Needs: admin. */
  'GET /v1/auth/keys/expiring-soon': {
    query?: Maybe<{
      /** Default: `30`. */
      within_days?: number | undefined;
    }>;
    answers: {
      200: {
        id: string;
        entity_uri: string;
        permissions: string[];
        allowed_scopes: Scope[];
        tenant_id: string;
        oidc_sub: string | null;
        description: string | null;
        created_at: string;
        expires_at: string | null;
        last_used_at: string | null;
        days_remaining: number;
      }[];
    };
  };
  /** Gives a short-lived key for an id token, or for a code, of the identity provider. Needs: open. */
  'POST /v1/auth/oidc/exchange': {
    body: {
      id_token?: string | null | undefined;
      code?: string | null | undefined;
      code_verifier?: string | null | undefined;
      redirect_uri?: string | null | undefined;
      permissions?:
        | readonly ('read' | 'write' | 'admin' | 'audit.read' | 'instruction:write' | 'federate')[]
        | null
        | undefined;
      client?: string | null | undefined;
      salt?: string | null | undefined;
    };
    answers: { 200: { api_key: string; entity_uri: string; permissions: string[]; expires_at: string } };
  };
  /** Backups in the folder of this node, newest first, for its operator. Needs: admin. */
  'GET /v1/backups': {
    answers: {
      200: {
        backups: {
          id: string;
          created_at: string | null;
          bytes: number;
          facts: number;
          node_id: string | null;
          stamp: string | null;
          has_key: boolean;
          erasures_since: number;
          readable: boolean;
          damage: string | null;
        }[];
        truncated: boolean;
      };
    };
  };
  /** Makes a backup of the store in the background, for the operator of the node. Needs: admin. */
  'POST /v1/backups': {
    answers: { 202: { job_id: string; status: string; estimated_s: number } };
  };
  /** What is known about an entity, in short. Needs: read. */
  'GET /v1/cards/{entity_uri}': {
    params: { entity_uri: string };
    query?: Maybe<{
      /** Default: `"local"`. */
      scope?: Scope | undefined;
      /** Default: `false`. */
      refresh?: boolean | undefined;
      /** Default: `false`. */
      force_refresh?: boolean | undefined;
      /** An instant: facts that speak of a later time, by `valid_from` or else their timestamp. */
      after?: string | undefined;
      /** An instant: facts that speak of an earlier time. */
      before?: string | undefined;
      /** Sources, or beginnings of sources followed by a star. At most 100. */
      sources?: readonly string[] | string | undefined;
      /** Sessions of the caller, or beginnings of their names followed by a star. At most 100. */
      sessions?: readonly string[] | string | undefined;
      /** Relations, or beginnings of relations followed by a star. At most 100. */
      relations?: readonly string[] | string | undefined;
      /** Entities, or beginnings of entities followed by a star. At most 100. */
      entities?: readonly string[] | string | undefined;
      as_of?: string | undefined;
    }>;
    answers: {
      200: {
        entity_uri: string;
        scope: Scope;
        summary: string;
        fact_hashes: string[];
        avg_confidence: number;
        refreshed_at: string;
        is_stale: boolean;
        card_stale: boolean;
        has_contradictions: boolean;
        contradicted_count: number;
        force_refresh_timeout?: true;
      };
    };
  };
  /** The facts that began or ended to be live between two moments, newest first. Needs: read. */
  'GET /v1/changes': {
    query: {
      /** The earlier moment: an instant such as `2026-01-01T00:00:00Z`, or an hlc. */
      since: string;
      /** The later moment; now by default. */
      until?: string | undefined;
      /** `began`: live at the later moment alone. `ended`: live at the earlier moment alone. Default: `"began"`. */
      change?: 'began' | 'ended' | undefined;
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    };
    answers: { 200: { facts: Fact[]; cursor: string | null } };
  };
  /** Contradictions that the caller can see, newest first. Needs: read. */
  'GET /v1/conflicts': {
    query?: Maybe<{
      /** Default: `"unresolved"`. */
      status?: 'unresolved' | 'resolved' | 'all' | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: { 200: { conflicts: Conflict[]; cursor: string | null; has_more: boolean } };
  };
  /** Settle a contradiction with a winning fact or a new value. Needs: write. */
  'POST /v1/conflicts/{id}/resolve': {
    params: { id: string };
    body: {
      winning_fact_id?: string | null | undefined;
      /** Default: `""`. */
      resolution_note?: string | undefined;
      attestation?: { key_id: string; signature: string } | null | undefined;
      new_value?: SentValue | null | undefined;
    };
    answers: { 200: { resolution_fact_id: string; conflict_status: 'resolved' } };
  };
  /** The lines that connect each known client, with {address} where the address of the node goes. Needs: read. */
  'GET /v1/connect/clients': {
    answers: {
      200: {
        clients: {
          name: string;
          title: string;
          transport: 'stdio' | 'http';
          command: string;
          files: string[];
          text: string;
          remarks: string[];
        }[];
      };
    };
  };
  /** One asynchronous job, with its progress and its result. Needs: read. */
  'GET /v1/decay/jobs/{id}': {
    params: { id: string };
    answers: { 200: Job };
  };
  /** Lets facts end that are old or uncertain, or counts them. Needs: write. */
  'POST /v1/decay/sweep': {
    query?: Maybe<{
      dry_run?: boolean | undefined;
      scope?: Scope | undefined;
      ttl_seconds?: number | undefined;
      min_confidence?: number | undefined;
    }>;
    body?: Maybe<{
      dry_run?: boolean | undefined;
      scope?: Scope | undefined;
      ttl_seconds?: number | undefined;
      min_confidence?: number | undefined;
    }>;
    answers: { 200: { scanned: number; decayed: number; dry_run: boolean }; 202: StartedJob };
  };
  /**
   * Count the entities of each kind that have facts the caller may see. A kind is the part of a name before its
   * first colon. Needs: read.
   */
  'GET /v1/entities/kinds': {
    query?: Maybe<{
      cursor?: string | undefined;
      /** Kinds on a page. Default: `500`. */
      limit?: number | undefined;
    }>;
    answers: { 200: { kinds: { kind: string; entities: number; is_more: boolean }[]; cursor: string | null } };
  };
  /** Query facts. Needs: read. */
  'GET /v1/facts': {
    query?: Maybe<{
      entity?: string | undefined;
      relation?: string | undefined;
      source?: string | undefined;
      scope?: Scope | undefined;
      min_confidence?: number | undefined;
      /** Default: `false`. */
      include_contradicted?: boolean | undefined;
      /** Default: `false`. */
      include_expired?: boolean | undefined;
      /** Default: `false`. */
      include_retracted?: boolean | undefined;
      /** An instant: facts that speak of a later time, by `valid_from` or else their timestamp. */
      after?: string | undefined;
      /** An instant: facts that speak of an earlier time. */
      before?: string | undefined;
      /** Sources, or beginnings of sources followed by a star. At most 100. */
      sources?: readonly string[] | string | undefined;
      /** Sessions of the caller, or beginnings of their names followed by a star. At most 100. */
      sessions?: readonly string[] | string | undefined;
      /** Relations, or beginnings of relations followed by a star. At most 100. */
      relations?: readonly string[] | string | undefined;
      /** Entities, or beginnings of entities followed by a star. At most 100. */
      entities?: readonly string[] | string | undefined;
      garden_id?: string | undefined;
      attested?: boolean | undefined;
      session?: string | undefined;
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
      as_of?: string | undefined;
      valid_at?: string | undefined;
    }>;
    answers: { 200: { facts: Fact[]; total: number; cursor: string | null; tombstone_notices: unknown[] } };
  };
  /** Assert a fact. Needs: write. */
  'POST /v1/facts': {
    body: Assertion;
    answers: { 201: Fact };
  };
  /** One fact, by id or content id. Needs: read. */
  'GET /v1/facts/{id}': {
    params: { id: string };
    query?: Maybe<{
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
      as_of?: string | undefined;
    }>;
    answers: { 200: Fact };
  };
  /** How the triple of a fact came to be, and who won from when to when. Needs: read. */
  'GET /v1/facts/{id}/history': {
    params: { id: string };
    query?: Maybe<{
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: { 200: History };
  };
  /** What a fact was derived from. Needs: read. */
  'GET /v1/facts/{id}/provenance': {
    params: { id: string };
    query?: Maybe<{
      /** Default: `64`. */
      depth?: number | undefined;
      as_of?: string | undefined;
    }>;
    answers: {
      200: {
        fact_id: string;
        root_fact_id: string;
        cid: string;
        derived_from: { hash: string; fact_id?: string; entity?: string; exists: boolean }[];
        nodes: { hash: string; fact_id?: string; entity?: string; exists: boolean }[];
        edges: { derived_fact_id: string; source_hash: string }[];
        depth_limit: number;
        truncated: boolean;
      };
    };
  };
  /** Check a fact against its content id. Needs: read. */
  'POST /v1/facts/{id}/verify-cid': {
    params: { id: string };
    body?: Maybe<{ cid?: string | null | undefined }>;
    answers: {
      200: {
        cid_valid: boolean;
        match: boolean;
        computed_cid: string | null;
        stored_cid: string;
        mismatch_reason: 'stored_cid_mismatch' | 'given_cid_mismatch' | null;
      };
    };
  };
  /** Assert up to 1000 facts in one transaction, each with its own verdict. Needs: write. */
  'POST /v1/facts/batch': {
    query?: Maybe<{
      /** Judges the items, and stores nothing. Default: `false`. */
      dry_run?: boolean | undefined;
    }>;
    /** A list, or lines of JSON as one text. */
    body: readonly Assertion[] | string;
    answers: {
      200: {
        accepted: number;
        rejected: number;
        results: {
          index: number;
          status: number;
          /** Present when the item repeats a stored fact. */
          existing?: true;
          fact?: Fact;
          error?: Problem;
        }[];
      };
    };
  };
  /** What happened between this node and its peers, newest first. Needs: federate. */
  'GET /v1/federation/audit': {
    query?: Maybe<{
      peer_id?: string | undefined;
      event_type?: string | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        entries: {
          id: string;
          peer_id: string | null;
          event_type: string;
          detail: Record<string, unknown> | null;
          ts: string;
        }[];
        cursor: string | null;
        has_more: boolean;
      };
    };
  };
  /**
   * Capability tokens that the caller issued or is the subject of, newest first; for an admin all of the tenant.
   * Needs: read.
   */
  'GET /v1/federation/capability-tokens': {
    query?: Maybe<{
      cursor?: string | undefined;
      /** Default: `1000`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        tokens: {
          token_id: string;
          issuer: string;
          subject: string;
          verb: 'read' | 'write' | 'admin' | 'federate' | 'subscribe' | 'tombstone:read';
          object: string;
          issued_at: string;
          expiry: string;
          status: 'active' | 'expired' | 'revoked';
          revoked_at: string | null;
        }[];
        total: number;
        cursor: string | null;
      };
    };
  };
  /** Issues a capability token. Needs: write. */
  'POST /v1/federation/capability-tokens': {
    body: {
      issuer: string;
      subject: string;
      verb: 'read' | 'write' | 'admin' | 'federate' | 'subscribe' | 'tombstone:read';
      object: string;
      expiry?: string | null | undefined;
      ttl_seconds?: number | undefined;
    };
    answers: {
      201: {
        token_id: string;
        issuer: string;
        subject: string;
        verb: 'read' | 'write' | 'admin' | 'federate' | 'subscribe' | 'tombstone:read';
        object: string;
        issued_at: string;
        expiry: string;
        nonce: string;
        token_json: string;
      };
    };
  };
  /** Ends a capability token now. Needs: write. */
  'POST /v1/federation/capability-tokens/{token_id}/revoke': {
    params: { token_id: string };
    body?: Maybe<{ reason?: string | null | undefined }>;
    answers: { 200: { token_id: string; revoked_at: string; status: 'revoked' } };
  };
  /** Says whether a capability token is good now, and why not. Needs: read. */
  'POST /v1/federation/capability-tokens/verify': {
    body: { token_json: string };
    answers: { 200: { valid: true } | { valid: false; reason: string; detail: string } };
  };
  /**
   * Signs what this node exchanges with another one, for the operator of that node, with a code to compare.
   * Needs: admin.
   */
  'POST /v1/federation/declarations': {
    body: {
      /** Address of the other node, such as https://beta.example, or its id. */
      peer: string;
      /** The scopes whose facts may be exchanged; by default public. */
      allowed_scopes?: readonly Scope[] | undefined;
      direction?: 'bidirectional' | 'outbound' | 'inbound' | undefined;
      /** Whether the other node may end facts of others here. */
      may_end_others?: boolean | undefined;
    };
    answers: {
      201: {
        declaration: Record<string, unknown>;
        code: string;
        peer_id: string;
        node_id: string;
        status: 'pending_verification' | 'active' | 'rejected' | 'revoked';
      };
    };
  };
  /** Facts for a peer, in feed order, behind its cursor. Needs: peer. */
  'GET /v1/federation/facts': {
    query?: Maybe<{
      since_hlc?: string | undefined;
      cursor?: string | undefined;
      scope?: Scope | undefined;
      /** Default: `false`. */
      own?: boolean | undefined;
      /** Default: `100`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        facts: {
          id: string;
          entity: string;
          relation: string;
          value: FactValue;
          source: string;
          timestamp: string;
          hlc: string;
          confidence: number;
          scope: Scope;
          valid_from?: string;
          valid_until: string | null;
          derived_from: string[];
          replaces?: string[];
          cid?: string;
          origin_node_id?: string;
          origin_proof?: { key_id: string; salt: string; refs_salt: string; signature: string };
        }[];
        cursor: string | null;
        has_more: boolean;
        epoch: string;
      };
    };
  };
  /** Take facts from a peer. Needs: peer. */
  'POST /v1/federation/facts/push': {
    body: {
      /** Members that this node does not know are not stored. */
      facts: readonly {
        id: string;
        entity: string;
        relation: string;
        value: FactValue;
        source: string;
        timestamp: string;
        hlc: string;
        confidence: number;
        scope: Scope;
        valid_from?: string | undefined;
        valid_until: string | null;
        derived_from: readonly string[];
        replaces?: readonly string[] | undefined;
        cid?: string | undefined;
        origin_node_id?: string | undefined;
        origin_proof?: { key_id: string; salt: string; refs_salt: string; signature: string } | undefined;
        [name: string]: unknown;
      }[];
      /** The clock of the sender, as a stamp. */
      sender_hlc?: string | null | undefined;
    };
    answers: {
      202: {
        accepted: number;
        rejected: number;
        errors: {
          fact_id: string;
          error:
            | 'invalid_fact'
            | 'scope_not_permitted'
            | 'source_not_owned'
            | 'invalid_origin_proof'
            | 'reserved_namespace'
            | 'garden_not_federated'
            | 'id_collision'
            | 'hlc_skew'
            | 'cid_mismatch'
            | 'instruction_rejected'
            | 'namespace_owned'
            | 'ingest_error';
        }[];
      };
    };
  };
  /** Nodes with which this one exchanges facts, or did, or is asked to. Needs: federate. */
  'GET /v1/federation/peers': {
    answers: {
      200: {
        peers: {
          peer_id: string;
          node_id: string;
          node_url: string | null;
          status: 'pending_verification' | 'active' | 'rejected' | 'revoked';
          allowed_scopes: Scope[];
          direction: 'bidirectional' | 'outbound' | 'inbound' | null;
          established_at: string | null;
          signed_at: string | null;
          public_key_fingerprint: string | null;
          created_at: string;
          unicode_version: string | null;
          may_end_others: boolean;
          own_declaration: {
            allowed_scopes: Scope[];
            direction: 'bidirectional' | 'outbound' | 'inbound';
            signed_at: string;
          } | null;
        }[];
      };
    };
  };
  /**
   * Takes a declaration of another node, or of this one, and begins to exchange facts when both are on file.
   * Needs: federate.
   */
  'POST /v1/federation/peers': {
    query?: Maybe<{
      /** The digits that the other operator reads out. A declaration with another code is refused. */
      code?: string | undefined;
    }>;
    body: {
      /** The node that declares. */
      declaring_node_id?: string | null | undefined;
      /** Another name of `declaring_node_id`; one of the two is needed. */
      node_id?: string | null | undefined;
      /** The node towards which it declares. */
      target_node_id?: string | null | undefined;
      /** The scopes whose facts may be exchanged. */
      allowed_scopes?: readonly string[] | null | undefined;
      /** One of bidirectional, outbound, inbound. */
      direction?: string | null | undefined;
      /** Whether the target may end facts of others at the declaring node. Default: if `company` is open. */
      may_end_others?: boolean | null | undefined;
      /** An instant of the last 24 hours. */
      signed_at: string;
      /** Ed25519 signature over the RFC 8785 form of all other members, in base64url. */
      declaration_sig: string;
      /** Where the declaring node is reached. */
      node_url?: string | null | undefined;
      /** Its public key, in base64url. */
      federation_pubkey?: string | null | undefined;
    };
    answers: {
      201: {
        peer_id: string;
        status: 'pending_verification' | 'active' | 'rejected' | 'revoked';
        verified_at: string | null;
      };
    };
  };
  /** Ends the exchange with another node in both directions, at once. Needs: admin. */
  'DELETE /v1/federation/peers/{peer_id}': {
    params: { peer_id: string };
    answers: { 204: undefined };
  };
  /** How far this node and a peer have read from each other, and what keeps them. Needs: federate. */
  'GET /v1/federation/peers/{peer_id}/lag': {
    params: { peer_id: string };
    answers: {
      200: {
        peer_id: string;
        node_id: string;
        status: 'pending_verification' | 'active' | 'rejected' | 'revoked';
        inbound: {
          scope: Scope;
          cursor: string | null;
          lag_facts: number | null;
          lag_seconds: number | null;
          last_success: string | null;
          last_failure: string | null;
          last_error: string | null;
          failures: number;
          next_pull: string;
          parked: number;
        }[];
        outbound: {
          scope: Scope | 'all';
          cursor: string | null;
          lag_facts: number;
          lag_seconds: number;
          last_request: string | null;
        }[];
        facts_today: number;
        facts_per_day: number | null;
        quarantined_until: string | null;
      };
    };
  };
  /** Tombstones for a peer, in feed order, behind its cursor. Needs: peer. */
  'GET /v1/federation/tombstones': {
    query?: Maybe<{
      since?: string | undefined;
      /** Default: `100`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        tombstones: {
          id: string;
          entity_uri: string;
          scope: string;
          reason: string | null;
          signed_by: string;
          key_id: string;
          signature: string;
          created_at: string;
          legal_hold: boolean;
          erase: boolean;
          revocation: Revocation | null;
        }[];
        cursor: string | null;
        has_more: boolean;
        epoch: string;
      };
    };
  };
  /** The caller's gardens, oldest first; all of the tenant for an admin. Needs: read. */
  'GET /v1/gardens': {
    answers: { 200: Garden[] };
  };
  /** Make a garden: a part of a scope that only its members see. Needs: write. */
  'POST /v1/gardens': {
    body: {
      slug: string;
      name: string;
      /** Default: `"company"`. */
      scope?: Scope | undefined;
      description?: string | null | undefined;
      /** Default: `false`. */
      quarantine?: boolean | undefined;
    };
    answers: { 201: Garden };
  };
  /** Delete a garden; its facts stay hidden. Needs: write or admin. */
  'DELETE /v1/gardens/{garden}': {
    params: { garden: string };
    answers: { 204: undefined };
  };
  /** One garden with its members. Needs: read. */
  'GET /v1/gardens/{garden}': {
    params: { garden: string };
    answers: { 200: Garden };
  };
  /** Members of a garden. Needs: any key. */
  'GET /v1/gardens/{garden}/members': {
    params: { garden: string };
    answers: { 200: GardenMember[] };
  };
  /** Let an entity into a garden. Needs: any key. */
  'POST /v1/gardens/{garden}/members': {
    params: { garden: string };
    body: {
      entity_uri: string;
      /** Default: `"reader"`. */
      role?: 'admin' | 'writer' | 'reader' | 'quarantine:moderator' | undefined;
    };
    answers: { 201: GardenMember };
  };
  /** Let a pending fact out of quarantine, into a garden or outside gardens. Needs: write. */
  'POST /v1/gardens/{garden}/promote': {
    params: { garden: string };
    body: {
      fact_id: string;
      target_garden_id?: string | undefined;
      attestation?: { key_id: string; signature: string } | null | undefined;
      reason?: string | undefined;
    };
    answers: {
      200: {
        fact_id: string;
        acted_by: string;
        acted_at: string;
        action: 'promoted';
        target_garden_id: string | null;
      };
    };
  };
  /** Refuse a pending fact for good. Needs: write. */
  'POST /v1/gardens/{garden}/reject': {
    params: { garden: string };
    body: { fact_id: string; reason?: string | undefined };
    answers: { 200: { fact_id: string; acted_by: string; acted_at: string; action: 'rejected' } };
  };
  /** Remove a member from a garden, or leave it. Needs: any key. */
  'DELETE /v1/gardens/{garden}/members/{entity_uri}': {
    params: { garden: string; entity_uri: string };
    answers: { 204: undefined };
  };
  /** Change the role of a member. Needs: any key. */
  'PATCH /v1/gardens/{garden}/members/{entity_uri}': {
    params: { garden: string; entity_uri: string };
    body: { role: 'admin' | 'writer' | 'reader' | 'quarantine:moderator' };
    answers: { 200: GardenMember };
  };
  /** Entities that ref facts connect with the given ones. Needs: read. */
  'GET /v1/graph/neighbors': {
    query: {
      entity: readonly string[] | string;
      /** Default: `1`. */
      depth?: number | undefined;
      scope?: Scope | undefined;
      relation?: string | undefined;
      relation_filter?: string | undefined;
      /** Default: `0.1`. */
      min_confidence?: number | undefined;
      /** An instant: facts that speak of a later time, by `valid_from` or else their timestamp. */
      after?: string | undefined;
      /** An instant: facts that speak of an earlier time. */
      before?: string | undefined;
      /** Sources, or beginnings of sources followed by a star. At most 100. */
      sources?: readonly string[] | string | undefined;
      /** Sessions of the caller, or beginnings of their names followed by a star. At most 100. */
      sessions?: readonly string[] | string | undefined;
      /** Relations, or beginnings of relations followed by a star. At most 100. */
      relations?: readonly string[] | string | undefined;
      /** Entities, or beginnings of entities followed by a star. At most 100. */
      entities?: readonly string[] | string | undefined;
      limit?: number | undefined;
      page_size?: number | undefined;
      cursor?: string | undefined;
      as_of?: string | undefined;
    };
    answers: {
      200: {
        entity: string;
        entities?: string[];
        depth: number;
        neighbors: {
          entity: string;
          relation: string;
          hops: number;
          confidence: number;
          source_trust: number | null;
          path: string[];
        }[];
        next_cursor: string | null;
        total_hint: number;
      };
    };
  };
  /** How the facts about an entity came to be, and who won from when to when. Needs: read. */
  'GET /v1/history/{entity_uri}': {
    params: { entity_uri: string };
    query?: Maybe<{
      scope?: Scope | undefined;
      relation?: string | undefined;
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: { 200: History };
  };
  /**
   * Imports the export of another memory or chat product, and reports its progress as lines of JSON. Needs:
   * write.
   */
  'POST /v1/imports': {
    body: {
      /** The name of the file. */
      name: string;
      /** The bytes of the file or zip archive, in base64. */
      content: string;
      /** The name of a format; by default the one that the file has. */
      format?: string | undefined;
      /** The time of items that have none, for example `2026-01-01T00:00:00Z`. */
      modified_at?: string | undefined;
      /** The scope of the facts; `local` by default. */
      scope?: Scope | undefined;
      /** The garden that the facts go to. */
      garden?: string | undefined;
      /** Stands before the source of every fact. */
      source_prefix?: string | undefined;
      /** The offset of instants that have none, for example `+01:00`; else `Z`. */
      utc_offset?: string | undefined;
      /** The encoding of text that is not UTF-8 and has no byte order mark. */
      encoding?: string | undefined;
      /** For a table: what its columns are, for example `entity=user:{id}`, `relation==memory:role`, `value=role`. */
      map?: readonly string[] | undefined;
      /**
       * Runs the import as a job, which goes on when the caller leaves, and replies 202 with its id. Default:
       * `false`.
       */
      as_job?: boolean | undefined;
      /** Checks every fact, and stores nothing. Default: `false`. */
      dry_run?: boolean | undefined;
    };
    answers: { 200: string; 202: StartedJob };
  };
  /** Reports which of the instructions that were loaded an agent has used. Needs: any key. */
  'POST /v1/instruction/audit': {
    body: {
      audit_token: string;
      /** Names of units that the agent used. */
      used_chunks?: readonly unknown[] | null | undefined;
      /** Names of units that it would have needed. */
      missed_chunks?: readonly unknown[] | null | undefined;
    };
    answers: { 204: undefined };
  };
  /** Asynchronous jobs of the caller, newest first; of the whole tenant for administrators. Needs: read. */
  'GET /v1/jobs': {
    query?: Maybe<{
      type?: string | undefined;
      status?: 'pending' | 'running' | 'done' | 'failed' | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        jobs: {
          job_id: string;
          job_type: string;
          status: 'pending' | 'running' | 'done' | 'failed';
          scope: Scope | 'all' | null;
          estimated_s: number;
          created_at: string;
          started_at?: string;
          completed_at?: string;
          error?: string;
          progress?: { done: number; total: number | null; rate_per_s: number };
        }[];
        cursor: string | null;
      };
    };
  };
  /** Cancels an asynchronous job that waits or runs. Needs: read. */
  'DELETE /v1/jobs/{id}': {
    params: { id: string };
    answers: { 204: undefined };
  };
  /** One asynchronous job, with its progress and its result. Needs: read. */
  'GET /v1/jobs/{id}': {
    params: { id: string };
    answers: { 200: Job };
  };
  /** Lets an asynchronous job that failed or was cancelled go on from where it was. Needs: read. */
  'POST /v1/jobs/{id}/resume': {
    params: { id: string };
    answers: {
      202: {
        job_id: string;
        job_type: string;
        status: 'pending' | 'running' | 'done' | 'failed';
        scope: Scope | 'all' | null;
        estimated_s: number;
        created_at: string;
        started_at?: string;
        completed_at?: string;
        error?: string;
        progress?: { done: number; total: number | null; rate_per_s: number };
      };
    };
  };
  /** The same with parameters; every scope of the caller unless one is named. Needs: read. */
  'GET /v1/lint': {
    query?: Maybe<{
      scope?: Scope | 'all' | undefined;
      checks?: readonly string[] | string | undefined;
      entity?: string | undefined;
      relation?: string | undefined;
      /** Default: `0`. */
      stale_lookahead_s?: number | undefined;
    }>;
    answers: { 200: LintReport; 202: StartedJob };
  };
  /** Finds what is contradictory, out of date or unconnected among the facts that the caller sees. Needs: read. */
  'POST /v1/lint': {
    body: {
      scope: Scope | 'all';
      checks?: readonly ('contradiction' | 'stale' | 'orphan' | 'broken_ref' | 'namespacing')[] | null | undefined;
      entity?: string | null | undefined;
      relation?: string | null | undefined;
      /** Default: `0`. */
      stale_lookahead_s?: number | undefined;
    };
    answers: { 200: LintReport; 202: StartedJob };
  };
  /** One asynchronous job, with its progress and its result. Needs: read. */
  'GET /v1/lint/jobs/{id}': {
    params: { id: string };
    answers: { 200: Job };
  };
  /**
   * Model Context Protocol: the tools, resources and prompts of this memory, one message a request. Needs: any
   * key.
   */
  'POST /v1/mcp': {
    body: {
      jsonrpc: '2.0';
      /** Null is refused; a notification has no id. */
      id?: string | number | null | undefined;
      method: string;
      params?: Record<string, unknown> | undefined;
    };
    answers: {
      200: {
        jsonrpc: '2.0';
        id?: string | number | null;
        result?: Record<string, unknown>;
        error?: Record<string, unknown>;
      };
      202: undefined;
    };
  };
  /** The caller's identity and rights. Needs: any key. */
  'GET /v1/me': {
    answers: {
      200: {
        entity_uri: string;
        permissions: string[];
        allowed_scopes: Scope[];
        tenant_id: string;
        oidc_sub: string | null;
      };
    };
  };
  /** Quotas and limits of the caller's entity, and what is left of them. Needs: any key. */
  'GET /v1/me/limits': {
    answers: {
      200: {
        quotas: { dimension: string; limit: number; remaining: number; reset: number }[];
        stored_bytes: { limit: number; used: number } | null;
      };
    };
  };
  /**
   * Metrics of the node for Prometheus, or as OpenMetrics for a client that accepts it. Needs: admin or
   * audit.read.
   */
  'GET /v1/metrics': {
    answers: { 200: string };
  };
  /** Lets every caller write again in a namespace. Needs: admin. */
  'DELETE /v1/namespaces': {
    query: { pattern: string };
    answers: { 204: undefined };
  };
  /** Namespaces of the tenant with their owners. Needs: admin. */
  'GET /v1/namespaces': {
    query?: Maybe<{
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        enforced: boolean;
        namespaces: { pattern: string; owners: string[]; set_by: string; set_at: string }[];
        total: number;
        cursor: string | null;
      };
    };
  };
  /** Sets the owners of an entity, or of all entities under a path. Needs: admin. */
  'PUT /v1/namespaces': {
    body: { pattern: string; owners: readonly string[] };
    answers: { 200: { pattern: string; owners: string[]; set_by: string; set_at: string } };
  };
  /**
   * Plugins, routes and settings of the node, the seal and the replicas of its store, for its operator. Needs:
   * admin.
   */
  'GET /v1/node': {
    answers: {
      200: {
        contents: {
          /** Whether the store is sealed with a key of the operator. */
          sealed: boolean;
          /** The id of that key, which may be shown. */
          key_id: string | null;
        };
        /** The replicas that may serve reads, as the process knows them that replies. */
        replicas: {
          address: string;
          /** Whether reads may go to it now. */
          in_use: boolean;
          /** Why it is left out. */
          reason: string | null;
          /** Bytes of the log of the primary that it has not replayed yet; null where that is unknown. */
          lag_bytes: number | null;
          /** Reads that it has served since the process began. */
          reads: number;
          /** Reads that the primary has served in its place, because it lagged or was left out. */
          reads_on_primary: number;
        }[];
        plugins: {
          name: string;
          enabled: boolean;
          version: string;
          summary: string;
          requires: string[];
          provides: string[];
        }[];
        routes: {
          method: string;
          path: string;
          plugin: string;
          summary: string;
          access: string;
          dimension: string | null;
        }[];
        settings: {
          owner: string;
          key: string;
          variable: string | null;
          /** A secret is shown as `(set)` or `(not set)`. */
          value: unknown;
          origin: string;
          description: string;
          accepts: string;
        }[];
      };
    };
  };
  /** Remote clients to which the caller gave access, newest first; for an admin all of the tenant. Needs: any key. */
  'GET /v1/oauth/grants': {
    answers: {
      200: {
        grants: {
          id: string;
          client_name: string;
          client_host: string;
          entity_uri: string;
          person_uri: string;
          permissions: string[];
          allowed_scopes: string[];
          gardens: string[];
          created_at: string;
          expires_at: string;
        }[];
      };
    };
  };
  /** Ends the access of a remote client, at once: an own grant, or any of the tenant for an admin. Needs: any key. */
  'DELETE /v1/oauth/grants/{grant_id}': {
    params: { grant_id: string };
    answers: { 204: undefined };
  };
  /** Describes every route of this node as OpenAPI 3.1. Needs: any key. */
  'GET /v1/openapi.json': {
    answers: { 200: OpenApiDocument };
  };
  /** Facts in quarantine, newest first. Needs: read. */
  'GET /v1/quarantine': {
    query?: Maybe<{
      garden_id?: string | undefined;
      quarantine_status?: 'pending' | 'promoted' | 'rejected' | undefined;
      /** Default: `100`. */
      limit?: number | undefined;
      /** Default: `0`. */
      offset?: number | undefined;
    }>;
    answers: {
      200: {
        items: {
          fact_id: string;
          entity: string;
          relation: string;
          source: string;
          quarantine_status: 'pending' | 'promoted' | 'rejected';
          quarantine_garden_id: string;
          quarantine_reason: string;
          quarantine_acted_by: string | null;
          quarantine_acted_at: string | null;
          source_trust: number | null;
          received_from: string | null;
          timestamp: string;
        }[];
        total: number;
        truncated?: true;
      };
    };
  };
  /** Let a pending fact out of whatever quarantine garden it is in. Needs: write. */
  'POST /v1/quarantine/{fact_id}/admit': {
    params: { fact_id: string };
    query?: Maybe<{ target_garden_id?: string | undefined; reason?: string | undefined }>;
    body?: Maybe<{
      target_garden_id?: string | undefined;
      attestation?: { key_id: string; signature: string } | null | undefined;
      reason?: string | undefined;
    }>;
    answers: {
      200: {
        fact_id: string;
        acted_by: string;
        acted_at: string;
        action: 'promoted';
        target_garden_id: string | null;
      };
    };
  };
  /** Refuse a pending fact of whatever quarantine garden it is in. Needs: write. */
  'POST /v1/quarantine/{fact_id}/reject': {
    params: { fact_id: string };
    query?: Maybe<{ reason?: string | undefined }>;
    body?: Maybe<{ reason?: string | undefined }>;
    answers: { 200: { fact_id: string; acted_by: string; acted_at: string; action: 'rejected' } };
  };
  /** The same, for questions that fit into an address. Needs: read. */
  'GET /v1/recall': {
    query?: Maybe<{
      /** Default: `false`. */
      legacy_format?: boolean | undefined;
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
      depth?: number | undefined;
      lambda_mmr?: number | undefined;
      min_confidence?: number | undefined;
      force_refresh?: boolean | undefined;
      include_contradicted?: boolean | undefined;
      include_neighbors?: boolean | undefined;
      limit?: number | undefined;
      explain?: boolean | undefined;
      time?: 'lift' | 'ignore' | undefined;
      /** With `fields`: longer values are cut, and `value_length` says how long they are. */
      max_value_bytes?: number | undefined;
      query?: string | undefined;
      entity?: string | undefined;
      relation?: string | undefined;
      scope?: string | undefined;
      /** An instant: facts that speak of a later time, by `valid_from` or else their timestamp. */
      after?: string | undefined;
      /** An instant: facts that speak of an earlier time. */
      before?: string | undefined;
      /** Sources, or beginnings of sources followed by a star. At most 100. */
      sources?: readonly string[] | string | undefined;
      /** Sessions of the caller, or beginnings of their names followed by a star. At most 100. */
      sessions?: readonly string[] | string | undefined;
      /** Relations, or beginnings of relations followed by a star. At most 100. */
      relations?: readonly string[] | string | undefined;
      /** Entities, or beginnings of entities followed by a star. At most 100. */
      entities?: readonly string[] | string | undefined;
      /** A whole number from 1 to 200000. */
      token_budget?: string | undefined;
      /** Relations to leave out, separated by commas. */
      exclude_relations?: string | undefined;
      /** Ids of facts, separated by commas: why each is not there. */
      why_not?: string | undefined;
      /** An instant or a stamp: recalls as of then. */
      as_of?: string | undefined;
      /** The weights as JSON. */
      weights?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.lexical'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.lex'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.vector'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.vec'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.semantic'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.graph'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.source_trust'?: string | undefined;
      /** One weight, a number from 0 to 1. */
      'weights.recency'?: string | undefined;
    }>;
    answers: { 200: Recall };
  };
  /** Recall the facts that matter for a question, within a token budget. Needs: read. */
  'POST /v1/recall': {
    query?: Maybe<{
      /** Default: `false`. */
      legacy_format?: boolean | undefined;
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | undefined;
    }>;
    body: {
      /** The question, at most 16 KiB; or give an entity. */
      query?: string | null | undefined;
      /** Recalls what is said of this entity. */
      entity?: string | null | undefined;
      /** Only facts with this relation. */
      relation?: string | null | undefined;
      /** An instant: facts that speak of a later time, by `valid_from` or else their timestamp. */
      after?: string | null | undefined;
      /** An instant: facts that speak of an earlier time. */
      before?: string | null | undefined;
      /** Sources, or beginnings of sources followed by a star. At most 100. */
      sources?: readonly string[] | null | undefined;
      /** Sessions of the caller, or beginnings of their names followed by a star. At most 100. */
      sessions?: readonly string[] | null | undefined;
      /** Relations, or beginnings of relations followed by a star. At most 100. */
      relations?: readonly string[] | null | undefined;
      /** Entities, or beginnings of entities followed by a star. At most 100. */
      entities?: readonly string[] | null | undefined;
      /** The facts of the answer take no more tokens than this. */
      token_budget: number;
      /**
       * `global`, `local`, `team`, `company`, `public`, or a garden: its URI, its id or `garden:<slug>`. Default:
       * `"global"`.
       */
      scope?: string | null | undefined;
      /** How many steps along ref facts the neighbors of a hit may be away. Default: `1`. */
      depth?: number | null | undefined;
      /** Whether neighbors of hits are recalled at all. Default: `true`. */
      include_neighbors?: boolean | null | undefined;
      /** Whether facts that contradict each other are recalled. Default: `false`. */
      include_contradicted?: boolean | null | undefined;
      /** Facts of less confidence are left out. Default: `0.1`. */
      min_confidence?: number | null | undefined;
      /** 1 chooses by relevance alone; less prefers facts that differ from each other. Default: `0.7`. */
      lambda_mmr?: number | null | undefined;
      /** Default: `100`. */
      limit?: number | null | undefined;
      /** What counts how much; all of them add up to 1. Unless given: lexical 0.3, vector 0.5, graph 0.2. */
      weights?:
        | {
            lexical?: number | null | undefined;
            /** Another name of `lexical`. */
            lex?: number | null | undefined;
            vector?: number | null | undefined;
            /** Another name of `vector`. */
            vec?: number | null | undefined;
            /** Another name of `vector`. */
            semantic?: number | null | undefined;
            graph?: number | null | undefined;
            source_trust?: number | null | undefined;
            recency?: number | null | undefined;
          }
        | null
        | undefined;
      /** Makes the card of the entity anew. Default: `false`. */
      force_refresh?: boolean | null | undefined;
      /** Whether facts of a time that the query names are lifted. Default: `"lift"`. */
      time?: 'lift' | 'ignore' | null | undefined;
      /** Adds to each fact how it came into the answer. Default: `false`. */
      explain?: boolean | null | undefined;
      /** Ids of facts: the answer says at which step each of them fell out. */
      why_not?: readonly string[] | null | undefined;
      /** An instant or a stamp: recalls what was known then. */
      as_of?: string | null | undefined;
      /**
       * Members of each fact in the answer, and no others; `compact` stands for what most readers need, `marks` for
       * what plugins say of a fact where they say something.
       */
      fields?: string | readonly string[] | undefined;
    };
    answers: { 200: Recall };
  };
  /** Removes a rule, after which the next shorter pattern decides. Needs: admin. */
  'DELETE /v1/relations': {
    query: { pattern: string };
    answers: { 204: undefined };
  };
  /** Rules about the values of relations, by pattern. Needs: read. */
  'GET /v1/relations': {
    answers: {
      200: {
        rules: RelationRule[];
      };
    };
  };
  /** Adds a rule about the values of a relation, or of all relations with a prefix. Needs: admin. */
  'POST /v1/relations': {
    body: {
      pattern: string;
      values: 'one' | 'many';
      value_type?: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null' | null | undefined;
    };
    answers: { 201: RelationRule };
  };
  /** Adds a rule, or replaces the one with the same pattern. Needs: admin. */
  'PUT /v1/relations': {
    body: {
      pattern: string;
      values: 'one' | 'many';
      value_type?: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null' | null | undefined;
    };
    answers: { 200: RelationRule };
  };
  /** The same as GET /v1/synthesis, of one scope. Needs: read. */
  'GET /v1/scopes/{scope}/synthesize': {
    params: { scope: string };
    query?: Maybe<{
      entity?: string | undefined;
      min_confidence?: number | undefined;
      /** Default: `false`. */
      include_expired?: boolean | undefined;
      /** Default: `200`. */
      limit?: number | undefined;
    }>;
    answers: { 200: Synthesis; 202: StartedJob };
  };
  /** Everything about an entity, and everything it asserted, as lines of JSON with a signed receipt. Needs: admin. */
  'POST /v1/subjects/export': {
    body: {
      entity_uri: string;
      /** Default: `true`. */
      about?: boolean | undefined;
      /** Default: `true`. */
      asserted_by?: boolean | undefined;
    };
    answers: { 200: string };
  };
  /** The caller's subscriptions, oldest first. Needs: read. */
  'GET /v1/subscriptions': {
    answers: { 200: { subscriptions: Subscription[]; total: number; truncated?: true } };
  };
  /** Subscribe a webhook to an entity, a scope or a garden. Needs: read. */
  'POST /v1/subscriptions': {
    body: {
      target: string;
      target_type?: 'entity' | 'scope' | 'garden' | null | undefined;
      on_change: 'webhook';
      webhook_url?: string | null | undefined;
      delivery_address?: string | null | undefined;
      idempotency_key?: string | null | undefined;
      event_types?:
        | readonly ('fact_asserted' | 'fact_retracted' | 'conflict_opened' | 'conflict_resolved')[]
        | null
        | undefined;
      capability_token?: string | null | undefined;
    };
    answers: { 200: Subscription; 201: Subscription & { secret: string } };
  };
  /** End a subscription and forget its events. Needs: read. */
  'DELETE /v1/subscriptions/{id}': {
    params: { id: string };
    answers: { 204: undefined };
  };
  /** One subscription of the caller. Needs: read. */
  'GET /v1/subscriptions/{id}': {
    params: { id: string };
    answers: { 200: Subscription };
  };
  /** Events of a subscription inside the replay window, oldest first. Needs: read. */
  'GET /v1/subscriptions/{id}/events': {
    params: { id: string };
    query?: Maybe<{
      after?: string | undefined;
      since?: string | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        events: {
          id: string;
          event_id: string;
          subscription_id: string;
          event_type:
            | 'fact_asserted'
            | 'fact_retracted'
            | 'conflict_opened'
            | 'conflict_resolved'
            | 'subscription_cancelled_access_revoked';
          entity_uri: string | null;
          fact_id: string | null;
          hlc: string | null;
          payload:
            | (Fact & {
                value_type: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null';
                value_v: string;
              })
            | null;
          created_at: string;
          delivered_at: string | null;
          delivery_status: 'pending' | 'delivering' | 'delivered' | 'failed' | 'dropped';
          delivery_attempts: number;
        }[];
        total: number;
        cursor: string | null;
      };
    };
  };
  /** Give a subscription another secret; the former one signs beside it for a while. Needs: read. */
  'POST /v1/subscriptions/{id}/rotate-secret': {
    params: { id: string };
    body?: Maybe<{ overlap_s?: number | undefined }>;
    answers: { 200: Subscription & { secret: string } };
  };
  /** Events of a subscription as they come, as Server-Sent Events. Needs: read. */
  'GET /v1/subscriptions/{id}/stream': {
    params: { id: string };
    query?: Maybe<{ after?: string | undefined }>;
    answers: { 200: AsyncIterable<EventMessage> };
  };
  /** The strongest facts, with the winner of each triple and counts. Needs: read. */
  'GET /v1/synthesis': {
    query?: Maybe<{
      scope?: Scope | undefined;
      entity?: string | undefined;
      min_confidence?: number | undefined;
      /** Default: `false`. */
      include_expired?: boolean | undefined;
      /** Default: `200`. */
      limit?: number | undefined;
    }>;
    answers: { 200: Synthesis; 202: StartedJob };
  };
  /** The same as GET /v1/synthesis, asked for by a body. Needs: read. */
  'POST /v1/synthesis': {
    body?: Maybe<{
      scope?: Scope | undefined;
      entity?: string | undefined;
      min_confidence?: number | undefined;
      /** Default: `false`. */
      include_expired?: boolean | undefined;
      /** Default: `200`. */
      limit?: number | undefined;
    }>;
    answers: { 200: Synthesis; 202: StartedJob };
  };
  /** Tenants of the node by id, for its operator. Needs: admin. */
  'GET /v1/tenants': {
    query?: Maybe<{
      status?: 'active' | 'suspended' | 'erasing' | 'erased' | undefined;
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: { 200: { tenants: Tenant[]; total: number; cursor: string | null } };
  };
  /** Makes a tenant together with its first key. Needs: admin. */
  'POST /v1/tenants': {
    body: {
      id: string;
      name?: string | null | undefined;
      first_key: {
        raw_key: string;
        entity_uri: string;
        permissions?: readonly string[] | undefined;
        allowed_scopes?: readonly Scope[] | undefined;
        description?: string | null | undefined;
        expires_at?: string | null | undefined;
      };
    };
    answers: {
      201: {
        id: string;
        name: string | null;
        status: 'active' | 'suspended' | 'erasing' | 'erased';
        created_at: string;
        suspended_at: string | null;
        first_key: {
          id: string;
          entity_uri: string;
          permissions: string[];
          allowed_scopes: Scope[];
          expires_at: string | null;
        };
      };
    };
  };
  /** Erases a tenant with everything that it holds, for ever. Needs: admin. */
  'DELETE /v1/tenants/{id}': {
    params: { id: string };
    body: { confirm: string };
    answers: { 200: TenantReport; 202: TenantReport };
  };
  /** One tenant with what it holds, or with the receipt of its erasure. Needs: admin. */
  'GET /v1/tenants/{id}': {
    params: { id: string };
    answers: { 200: TenantReport };
  };
  /** Suspends, resumes or renames a tenant. Needs: admin. */
  'PATCH /v1/tenants/{id}': {
    params: { id: string };
    body: { status?: 'active' | 'suspended' | undefined; name?: string | null | undefined };
    answers: { 200: Tenant };
  };
  /** All facts of a tenant with all that is needed to restore them, as JSON lines. Needs: admin. */
  'GET /v1/tenants/{id}/export': {
    params: { id: string };
    answers: { 200: string };
  };
  /** How many facts each source said on each day (UTC), of the facts that the caller may see. Needs: read. */
  'GET /v1/timeline': {
    query?: Maybe<{
      cursor?: string | undefined;
      /** Facts to count; the next request goes on behind them. Default: `1000`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: { days: { day: string; source: string; facts: number }[]; counted: number; cursor: string | null };
    };
  };
  /** Tombstones of the tenant, newest first, ended ones included. Needs: admin. */
  'GET /v1/tombstones': {
    query?: Maybe<{
      cursor?: string | undefined;
      /** Default: `50`. */
      limit?: number | undefined;
    }>;
    answers: {
      200: {
        tombstones: Tombstone[];
        revocations: Revocation[];
        cursor: string | null;
      };
    };
  };
  /** Hides the facts about an entity behind a signed marker. Needs: admin. */
  'POST /v1/tombstones': {
    body: {
      entity_uri: string;
      /** Default: `"*"`. */
      scope?: string | undefined;
      reason?: string | null | undefined;
      /** Default: `false`. */
      legal_hold?: boolean | undefined;
    };
    answers: { 201: Tombstone };
  };
  /** Tombstones of an entity, ended ones included. Needs: admin. */
  'GET /v1/tombstones/{entity_uri}': {
    params: { entity_uri: string };
    answers: {
      200: {
        tombstoned: boolean;
        tombstones: Tombstone[];
        revocations: Revocation[];
        truncated?: true;
      };
    };
  };
  /** Destroys the facts behind a tombstone for good, or tells what that would destroy. Needs: admin. */
  'POST /v1/tombstones/{id}/erase': {
    params: { id: string };
    body: {
      confirm: string;
      /** Default: `false`. */
      dry_run?: boolean | undefined;
    };
    answers: {
      200:
        | {
            id: string;
            tenant_id: string;
            tombstone_id: string;
            entity_uri: string;
            scope: string;
            erased: { facts: number; [name: string]: unknown };
            remains: string[];
            limits: string[];
            created_at: string;
            signed_by: string;
            key_id: string;
            signature: string;
          }
        | {
            dry_run: true;
            tombstone_id: string;
            entity_uri: string;
            scope: string;
            erased: { facts: number; [name: string]: unknown };
            remains: string[];
            limits: string[];
          };
      202: { job_id: string; status: string; estimated_s: number };
    };
  };
  /** Shows the facts behind a tombstone again. Needs: admin. */
  'POST /v1/tombstones/{id}/revoke': {
    params: { id: string };
    body: { reason: string };
    answers: { 200: Revocation };
  };
  /** Tasks of upkeep, when they are due next, and what came of their last runs. Needs: admin. */
  'GET /v1/upkeep': {
    answers: {
      200: {
        tasks: {
          name: string;
          summary: string;
          per: 'tenant' | 'node';
          patterns: string[];
          next_at: string | null;
          runs: {
            due_at: string;
            status: 'pending' | 'running' | 'done' | 'failed';
            job_id: string;
            started_at?: string;
            completed_at?: string;
            result?: Record<string, unknown>;
            error?: string;
          }[];
        }[];
      };
    };
  };
  /** Runs a task of upkeep now, as a job. Needs: admin. */
  'POST /v1/upkeep/{task}/run': {
    params: { task: string };
    answers: { 202: StartedJob };
  };
}

type Job = {
  job_id: string;
  job_type: string;
  status: 'pending' | 'running' | 'done' | 'failed';
  scope: Scope | 'all' | null;
  estimated_s: number;
  created_at: string;
  started_at?: string;
  completed_at?: string;
  error?: string;
  progress?: { done: number; total: number | null; rate_per_s: number };
  [name: string]: unknown;
};

type StartedJob = { job_id: string; status: 'pending'; estimated_s: number };

type WhyNot = {
  id: string;
  stage:
    | 'unknown'
    | 'not_live'
    | 'filtered'
    | 'contradicted'
    | 'card'
    | 'not_found'
    | 'depth'
    | 'repeated'
    | 'variety'
    | 'budget'
    | 'limit'
    | 'changed'
    | 'returned';
  by?: string;
  found_by?: FoundBy;
  score?: number;
  rank?: number;
};

type LedgerProof = {
  tenant_id: string;
  checked_entries: number;
  head_hash: string;
  checkpoint: {
    id: string;
    tenant_id: string;
    covered_chain_seq: number;
    chain_hash: string;
    status: 'submitted';
    attempt_count: number;
    created_at: string;
    submitted_at: string;
    last_error: null;
    tl_backend: 'local';
    tl_log_id: string;
    tl_leaf_hash: string;
    tl_log_index: number;
    tl_integrated_time: number;
    tl_inclusion_proof: { chain_hash: string; prev_hash: string | null };
    tl_raw: {
      payload: {
        chain_hash: string;
        covered_chain_seq: number;
        created_at: string;
        kind: string;
        tenant_id: string;
        version: 1;
      };
    };
  };
};

type OmittedFacts = { contradicted: number; budget: number; repeated: number; [name: string]: unknown };

type FoundBy = {
  lexical?: { rank: number; score: number };
  semantic?: { rank: number; score: number };
  graph?: { rank: number; score: number };
};

type AuthorizationServer = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint: string;
  registration_endpoint: string;
  jwks_uri: string;
  scopes_supported: string[];
  response_types_supported: string[];
  response_modes_supported: string[];
  grant_types_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_methods_supported: string[];
  code_challenge_methods_supported: string[];
  authorization_response_iss_parameter_supported: boolean;
  client_id_metadata_document_supported: boolean;
  subject_types_supported: string[];
  id_token_signing_alg_values_supported: string[];
};

type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; [name: string]: unknown };
  paths: Record<string, unknown>;
  components: Record<string, unknown>;
  [name: string]: unknown;
};

type Tombstone = {
  id: string;
  entity_uri: string;
  scope: string;
  reason: string | null;
  signed_by: string;
  key_id: string;
  signature: string;
  created_at: string;
  legal_hold: boolean;
  origin_id?: string;
  erase?: boolean;
};

type Revocation = {
  id: string;
  tombstone_id: string;
  reason: string;
  signed_by: string;
  key_id: string;
  signature: string;
  created_at: string;
};

type RelationRule = {
  pattern: string;
  values: 'one' | 'many';
  value_type: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null' | null;
  set_by: string;
  set_at: string;
  since: string;
};

type NewApiKey = {
  id: string;
  entity_uri: string;
  permissions: string[];
  allowed_scopes: Scope[];
  tenant_id: string;
  oidc_sub: string | null;
  description: string | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
};

type AgentKey = {
  id: string;
  entity_uri: string;
  public_key: string;
  description: string | null;
  registered_at: string;
  status: 'active' | 'revoked';
};

type SummarizedValue = {
  type: 'string' | 'text' | 'number' | 'boolean' | 'datetime' | 'ref' | 'null';
  v: unknown;
  interpret_as?: 'instruction';
};

type Scope = 'local' | 'team' | 'company' | 'public';

type AuthorizationQuery = {
  response_type?: string | undefined;
  response_mode?: string | undefined;
  client_id?: string | undefined;
  redirect_uri?: string | undefined;
  scope?: string | undefined;
  state?: string | undefined;
  code_challenge?: string | undefined;
  code_challenge_method?: string | undefined;
  resource?: string | undefined;
  request?: string | undefined;
  request_uri?: string | undefined;
};

type AuditQuery = {
  since?: string | undefined;
  until?: string | undefined;
  event_type?: string | undefined;
  principal?: string | undefined;
  cursor?: string | undefined;
  /** Default: `200`. */
  limit?: number | undefined;
};
