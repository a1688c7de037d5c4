"""The objects in replies of a node.

Written by `npm run docs` from the schemas by which the node checks its replies. Changes by hand are lost.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired, TypeAlias


class AssertionAttestation(TypedDict):
    key_id: str
    signature: str


class AssertionDerivedFrom(TypedDict):
    fact_id: NotRequired[str | None]
    hash: NotRequired[str | None]


class Assertion(TypedDict):
    entity: str
    relation: str
    value: SentValue
    source: str
    confidence: NotRequired[float | None]
    scope: NotRequired[Literal["local", "team", "company", "public"] | None]
    valid_from: NotRequired[str | None]
    valid_until: NotRequired[str | None]
    timestamp: NotRequired[str | None]
    session_id: NotRequired[str | None]
    id: NotRequired[Any]
    hlc: NotRequired[Any]
    cid: NotRequired[Any]
    attested: NotRequired[Any]
    received_from: NotRequired[Any]
    tenant_id: NotRequired[Any]
    garden_id: NotRequired[str | None]
    attestation: NotRequired[AssertionAttestation | None]
    derived_from: NotRequired[list[AssertionDerivedFrom | str] | None]
    replaces: NotRequired[list[str] | None]
    reason: NotRequired[str | None]
    write_mode: NotRequired[Literal["assert", "summarize_with_provenance"] | None]


class BatchReplyResults(TypedDict):
    index: int
    status: int
    existing: NotRequired[Literal[True]]
    fact: NotRequired[Fact]
    error: NotRequired[Problem]


class BatchReply(TypedDict):
    accepted: int
    rejected: int
    results: list[BatchReplyResults]


class Card(TypedDict):
    entity_uri: str
    scope: Literal["local", "team", "company", "public"]
    summary: str
    fact_hashes: list[str]
    avg_confidence: float
    refreshed_at: str
    is_stale: bool
    card_stale: bool
    has_contradictions: bool
    contradicted_count: int
    force_refresh_timeout: NotRequired[Literal[True]]


class Conflict(TypedDict):
    conflict_id: str
    fact_a: Fact
    fact_b: Fact
    members: list[str]
    truncated: NotRequired[Literal[True]]
    status: Literal["unresolved", "resolved"]
    resolved_by: str | None
    detected_at: str


class EventPageEvents(TypedDict):
    id: str
    event_id: str
    subscription_id: str
    event_type: Literal["fact_asserted", "fact_retracted", "conflict_opened", "conflict_resolved", "subscription_cancelled_access_revoked"]
    entity_uri: str | None
    fact_id: str | None
    hlc: str | None
    payload: EventPageEventsPayload | None
    created_at: str
    delivered_at: str | None
    delivery_status: Literal["pending", "delivering", "delivered", "failed", "dropped"]
    delivery_attempts: int


class EventPage(TypedDict):
    events: list[EventPageEvents]
    total: int
    cursor: str | None


class FactContradiction(TypedDict):
    fact_ids: list[str]
    conflict_id: str
    correct: str
    settle: str
    hold_many: NotRequired[str]


class Fact(TypedDict):
    id: str
    entity: str
    relation: str
    value: FactValue
    source: str
    timestamp: str
    hlc: str
    received_from: str | None
    valid_from: NotRequired[str]
    valid_until: str | None
    confidence: float
    scope: Literal["local", "team", "company", "public"]
    garden_id: str | None
    cid: str | None
    contradicted: bool
    differs_elsewhere: NotRequired[Literal[True]]
    attested: bool | None
    attested_key_id: str | None
    origin_node_id: str | None
    origin_allowed_scopes: None
    origin_id: NotRequired[str]
    warnings: list[str]
    derived_from: list[str]
    replaces: NotRequired[list[str]]
    damaged: NotRequired[str]
    source_trust: float | None
    effective_confidence: float | None
    quarantine_status: str | None
    quarantine_garden_id: str | None
    sanitizer_warnings: list[Any]
    sanitizer_redacted: Literal[False]
    contradiction: NotRequired[FactContradiction]
    ended: NotRequired[Literal["retracted", "superseded"]]
    not_granted: NotRequired[Literal["retraction", "resolution", "replacement"]]
    origin_verified: NotRequired[bool]


class FactEntryRecall(TypedDict):
    facts: int
    tokens: int
    fact_ids: list[str]


class FactEntry(TypedDict):
    id: str
    fact_id: str | None
    event_type: str
    entity_uri: str
    oidc_sub: str | None
    source: str
    attested_key_id: str | None
    ts: str
    attested_key_entity_uri: str | None
    attested_key_description: str | None
    fact_entity: str | None
    fact_relation: str | None
    fact_value_type: Literal["string", "text", "number", "boolean", "datetime", "ref", "null"] | None
    fact_value_v: str | float | bool | None
    fact_scope: Literal["local", "team", "company", "public"] | None
    recall: FactEntryRecall | None


class FactPart(TypedDict):
    id: NotRequired[str]
    entity: NotRequired[str]
    relation: NotRequired[str]
    value: NotRequired[FactValue]
    source: NotRequired[str]
    timestamp: NotRequired[str]
    hlc: NotRequired[str]
    received_from: NotRequired[str | None]
    valid_from: NotRequired[str]
    valid_until: NotRequired[str | None]
    confidence: NotRequired[float]
    scope: NotRequired[Literal["local", "team", "company", "public"]]
    garden_id: NotRequired[str | None]
    cid: NotRequired[str | None]
    contradicted: NotRequired[bool]
    differs_elsewhere: NotRequired[Literal[True]]
    attested: NotRequired[bool | None]
    attested_key_id: NotRequired[str | None]
    origin_node_id: NotRequired[str | None]
    origin_allowed_scopes: NotRequired[None]
    origin_id: NotRequired[str]
    warnings: NotRequired[list[str]]
    derived_from: NotRequired[list[str]]
    replaces: NotRequired[list[str]]
    damaged: NotRequired[str]
    source_trust: NotRequired[float | None]
    effective_confidence: NotRequired[float | None]
    quarantine_status: NotRequired[str | None]
    quarantine_garden_id: NotRequired[str | None]
    sanitizer_warnings: NotRequired[list[Any]]
    sanitizer_redacted: NotRequired[Literal[False]]
    contradiction: NotRequired[FactContradiction]
    ended: NotRequired[Literal["retracted", "superseded"]]
    not_granted: NotRequired[Literal["retraction", "resolution", "replacement"]]
    origin_verified: NotRequired[bool]


class FactValue(TypedDict):
    type: Literal["string", "text", "number", "boolean", "datetime", "ref", "null"]
    v: str | float | bool | None
    interpret_as: Literal["content", "instruction"]


class Garden(TypedDict):
    id: str
    garden_id: str
    slug: str
    name: str
    scope: Literal["local", "team", "company", "public"]
    description: str | None
    created_by: str
    created_at: str
    members: list[GardenMember]
    quarantine: bool
    truncated: NotRequired[Literal[True]]


class GardenMember(TypedDict):
    entity_uri: str
    role: Literal["admin", "writer", "reader", "quarantine:moderator"]
    added_by: str
    added_at: str


class HistoryEventsEnded(TypedDict):
    at: str
    by: Literal["retraction", "resolution", "replacement", "valid_until", "ttl"]
    fact_id: str | None


class HistoryEvents(TypedDict):
    event: Literal["asserted", "received", "retracted", "resolved"]
    recorded_at: str
    stamp: str
    fact: Fact
    contradicts: list[str]
    ends: list[str]
    ended: HistoryEventsEnded | None


HistoryWinnersPeriods = TypedDict(
    "HistoryWinnersPeriods",
    {
        "fact_ids": 'list[str]',
        "from": 'str',
        "until": 'str | None',
    },
)


class HistoryWinners(TypedDict):
    entity: str
    relation: str
    scope: Literal["local", "team", "company", "public"]
    periods: list[HistoryWinnersPeriods]
    truncated: NotRequired[Literal[True]]


class History(TypedDict):
    events: list[HistoryEvents]
    winners: list[HistoryWinners]
    cursor: str | None


HistoryPage: TypeAlias = 'History'


class Identity(TypedDict):
    entity_uri: str
    permissions: list[str]
    allowed_scopes: list[Literal["local", "team", "company", "public"]]
    tenant_id: str
    oidc_sub: str | None


class JobProgress(TypedDict):
    done: int
    total: int | None
    rate_per_s: float


class Job(TypedDict):
    job_id: str
    job_type: str
    status: Literal["pending", "running", "done", "failed"]
    scope: Literal["local", "team", "company", "public", "all"] | None
    estimated_s: int
    created_at: str
    started_at: NotRequired[str]
    completed_at: NotRequired[str]
    error: NotRequired[str]
    progress: NotRequired[JobProgress]


class LintReportFindings(TypedDict):
    check: Literal["contradiction", "stale", "orphan", "broken_ref", "namespacing"]
    severity: Literal["error", "warning", "info"]
    entity: str
    relation: str | None
    fact_ids: list[str]
    detail: str


class LintReportProposedRules(TypedDict):
    relation: str
    fact_ids: list[str]
    call: str


class LintReport(TypedDict):
    findings: list[LintReportFindings]
    proposed_rules: NotRequired[list[LintReportProposedRules]]
    truncated: NotRequired[Literal[True]]
    checked_at: str
    scope: Literal["local", "team", "company", "public", "all"]
    entity: NotRequired[str]
    relation: NotRequired[str]
    checks_run: list[Literal["contradiction", "stale", "orphan", "broken_ref", "namespacing"]]
    fact_count: int


class NeighborPageNeighbors(TypedDict):
    entity: str
    relation: str
    hops: int
    confidence: float
    source_trust: float | None
    path: list[str]


class NeighborPage(TypedDict):
    entity: str
    entities: NotRequired[list[str]]
    depth: int
    neighbors: list[NeighborPageNeighbors]
    next_cursor: str | None
    total_hint: int


class ProblemErrors(TypedDict):
    path: str
    message: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: NotRequired[str]
    request_id: NotRequired[str]
    errors: NotRequired[list[ProblemErrors]]
    hint: NotRequired[str]


class ProvenanceDerivedFrom(TypedDict):
    hash: str
    fact_id: NotRequired[str]
    entity: NotRequired[str]
    exists: bool


class ProvenanceNodes(TypedDict):
    hash: str
    fact_id: NotRequired[str]
    entity: NotRequired[str]
    exists: bool


class ProvenanceEdges(TypedDict):
    derived_fact_id: str
    source_hash: str


class Provenance(TypedDict):
    fact_id: str
    root_fact_id: str
    cid: str
    derived_from: list[ProvenanceDerivedFrom]
    nodes: list[ProvenanceNodes]
    edges: list[ProvenanceEdges]
    depth_limit: int
    truncated: bool


class RecallOmitted(TypedDict):
    contradicted: int
    budget: int
    repeated: int


class RecallWhyNotFoundByLexical(TypedDict):
    rank: int
    score: float


class RecallWhyNotFoundBySemantic(TypedDict):
    rank: int
    score: float


class RecallWhyNotFoundByGraph(TypedDict):
    rank: int
    score: float


class RecallWhyNotFoundBy(TypedDict):
    lexical: NotRequired[RecallWhyNotFoundByLexical]
    semantic: NotRequired[RecallWhyNotFoundBySemantic]
    graph: NotRequired[RecallWhyNotFoundByGraph]


class RecallWhyNot(TypedDict):
    id: str
    stage: Literal["unknown", "not_live", "filtered", "contradicted", "card", "not_found", "depth", "repeated", "variety", "budget", "limit", "changed", "returned"]
    by: NotRequired[str]
    found_by: NotRequired[RecallWhyNotFoundBy]
    score: NotRequired[float]
    rank: NotRequired[int]


class RecallChainProofCheckpointTlInclusionProof(TypedDict):
    chain_hash: str
    prev_hash: str | None


class RecallChainProofCheckpointTlRawPayload(TypedDict):
    chain_hash: str
    covered_chain_seq: int
    created_at: str
    kind: str
    tenant_id: str
    version: float


class RecallChainProofCheckpointTlRaw(TypedDict):
    payload: RecallChainProofCheckpointTlRawPayload


class RecallChainProofCheckpoint(TypedDict):
    id: str
    tenant_id: str
    covered_chain_seq: int
    chain_hash: str
    status: Literal["submitted"]
    attempt_count: int
    created_at: str
    submitted_at: str
    last_error: None
    tl_backend: Literal["local"]
    tl_log_id: str
    tl_leaf_hash: str
    tl_log_index: int
    tl_integrated_time: int
    tl_inclusion_proof: RecallChainProofCheckpointTlInclusionProof
    tl_raw: RecallChainProofCheckpointTlRaw


class RecallChainProof(TypedDict):
    tenant_id: str
    checked_entries: int
    head_hash: str
    checkpoint: RecallChainProofCheckpoint


class Recall(TypedDict):
    recall_id: str
    query_hash: str
    token_budget: int
    tokens_used: int
    truncated: bool
    total_scored: int
    facts: list[ScoredFact]
    content: NotRequired[list[ScoredFact]]
    instructions: NotRequired[list[ScoredFact]]
    omitted: RecallOmitted
    degraded: list[str]
    why_not: NotRequired[list[RecallWhyNot]]
    tombstone_notices: list[Any]
    chain_proof: RecallChainProof | None


class RecallPart(TypedDict):
    recall_id: str
    query_hash: str
    token_budget: int
    tokens_used: int
    truncated: bool
    total_scored: int
    facts: list[ScoredPart]
    omitted: RecallOmitted
    degraded: list[str]
    why_not: NotRequired[list[RecallWhyNot]]
    tombstone_notices: list[Any]
    chain_proof: RecallChainProof | None


RecallReply: TypeAlias = 'Recall'


class Resolution(TypedDict):
    resolution_fact_id: str
    conflict_status: Literal["resolved"]


class ScoredFactWhy(TypedDict):
    found_by: RecallWhyNotFoundBy
    rank: int
    packed: int


class ScoredFactScoreBreakdown(TypedDict):
    lexical: float
    semantic: float
    graph: float
    fused: float
    named: float
    timed: float
    recency: float
    confidence: float
    access: float
    contradiction: float
    garden_tier: float
    source_trust: float
    weighted_total: float


class ScoredFact(TypedDict):
    fact: Fact
    score: float
    hop_distance: int
    token_estimate: int
    from_card: bool
    also: NotRequired[int]
    also_ids: NotRequired[list[str]]
    why: NotRequired[ScoredFactWhy]
    score_breakdown: ScoredFactScoreBreakdown


class ScoredPart(TypedDict):
    fact: FactPart
    score: float
    from_card: NotRequired[Literal[True]]
    value_length: NotRequired[int]
    also: NotRequired[int]
    also_ids: NotRequired[list[str]]
    why: NotRequired[ScoredFactWhy]


class SentValue(TypedDict):
    type: Literal["string", "text", "number", "boolean", "datetime", "ref", "null"]
    v: NotRequired[str | float | bool | None]
    interpret_as: NotRequired[Literal["content", "instruction"] | None]


class Subscription(TypedDict):
    id: str
    subscriber_identity: str
    target: str
    target_type: Literal["entity", "scope", "garden"]
    target_kind: Literal["entity", "scope", "garden"]
    on_change: Literal["webhook"]
    webhook_url: str | None
    delivery_address: str | None
    idempotency_key: str | None
    event_types: list[Literal["fact_asserted", "fact_retracted", "conflict_opened", "conflict_resolved"]] | None
    status: Literal["active", "cancelled"]
    cancelled_reason: NotRequired[Literal["access_revoked", "endpoint_gone"]]
    delivery_problem: NotRequired[Literal["secret_unreadable"]]
    former_secret_ends_at: NotRequired[str]
    created_at: str
    last_delivered_at: str | None
    circuit_open: bool
    consecutive_failures: int
    replay_window_s: int


class SynthesisFactsValue(TypedDict):
    type: Literal["string", "text", "number", "boolean", "datetime", "ref", "null"]
    v: Any
    interpret_as: NotRequired[Literal["instruction"]]


class SynthesisFacts(TypedDict):
    id: str
    entity: str
    relation: str
    value: SynthesisFactsValue
    confidence: float
    timestamp: str
    valid_from: NotRequired[str]
    valid_until: str | None
    is_expired: bool
    age_seconds: int
    contradicted: bool
    source: str
    scope: NotRequired[Literal["local", "team", "company", "public"]]
    garden_id: NotRequired[str]


class SynthesisSummary(TypedDict):
    entity: str
    relation: str
    value: SynthesisFactsValue
    confidence: float
    hlc: str
    contradicted: bool
    alt_value: SynthesisFactsValue | None
    alt_confidence: float | None
    scope: NotRequired[Literal["local", "team", "company", "public"]]
    garden_id: NotRequired[str]


class Synthesis(TypedDict):
    scope: Literal["local", "team", "company", "public", "all"]
    fact_count: int
    facts: list[SynthesisFacts]
    summary: list[SynthesisSummary]
    contradiction_count: int
    filtered_count: int
    mean_confidence: float | None
    freshest_timestamp: str | None
    oldest_timestamp: str | None
    expired_fact_count: int
    synthesized_at: str
    truncated: NotRequired[Literal[True]]


class Tenant(TypedDict):
    id: str
    name: str | None
    status: Literal["active", "suspended", "erasing", "erased"]
    created_at: str
    suspended_at: str | None


class TenantReportErasureReceipt(TypedDict):
    tenant_id: str
    requested_by: str
    requested_at: str
    erased_at: str
    erased: dict[str, int]
    remains: list[str]
    limits: list[str]
    signed_by: str
    key_id: str | None
    signature: str | None


class TenantReportErasure(TypedDict):
    requested_by: str
    requested_at: str
    rows: dict[str, int]
    job_id: str | None
    receipt: TenantReportErasureReceipt | None


class TenantReport(TypedDict):
    id: str
    name: str | None
    status: Literal["active", "suspended", "erasing", "erased"]
    created_at: str
    suspended_at: str | None
    counts: dict[str, int]
    erasure: TenantReportErasure | None


class EventPageEventsPayload(Fact):
    value_type: Literal["string", "text", "number", "boolean", "datetime", "ref", "null"]
    value_v: str
