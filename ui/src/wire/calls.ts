// What the screens may ask of the core, by name. Made from src-tauri/core/commands/mod.rs by
// `REPRISE_WRITE_WIRE=1 cargo test --test it wire`; edit that file, never this one.

import type {
  AccountZones,
  Accounts,
  ArrivalArgs,
  ArrivalDetail,
  ArrivalRow,
  AskAgainArgs,
  AttemptArgs,
  AttemptDetail,
  BulkArgs,
  BulkDetail,
  BulkRows,
  BulkRowsArgs,
  Bulks,
  CaseArgs,
  Cases,
  Chain,
  ChainArgs,
  CheckedAgain,
  CompareArgs,
  Compared,
  ContractSettings,
  Curl,
  CurlArgs,
  EventArgs,
  EventKinds,
  EventRow,
  EventsPage,
  EventsPageArgs,
  FetchArgs,
  FetchReport,
  FileWorkspaces,
  FilterArgs,
  ForecastArgs,
  ForecastRow,
  Habits,
  ImportLook,
  ImportLookArgs,
  ImportRun,
  ImportStartArgs,
  Imports,
  JobArgs,
  JobDetail,
  JobRow,
  LinkRow,
  Looks,
  ManyPreview,
  ManyPreviewArgs,
  ManySubmitArgs,
  ManySubmitted,
  NoteArgs,
  Nothing,
  PlanBulkArgs,
  PostAgainArgs,
  PostArgs,
  PostView,
  PostsPage,
  PostsPageArgs,
  RetentionArgs,
  RunBulkArgs,
  SaveFilterArgs,
  SaveReceiverArgs,
  SaveSignatureArgs,
  SaveWorkspaceArgs,
  SavedFiles,
  SavedFilters,
  SearchAnswer,
  SearchArgs,
  SetAside,
  SignatureArgs,
  SignatureTrial,
  Status,
  Storage,
  SubmitArgs,
  TestArgs,
  TestRun,
  TieArgs,
  Timeline,
  TimelineArgs,
  TimelineMap,
  TimelineMapArgs,
  Webhooks,
  WhyAlike,
  WhyAnswer,
  WhyArgs,
  WhyCase,
  WhyLook,
  WhyLookArgs,
  WorkspaceArgs,
  Workspaces,
} from './wire'

/** Calls that only read. */
export interface Reading {
  status: [Nothing, Status]
  events: [EventsPageArgs, EventsPage]
  event_arrivals: [EventArgs, ArrivalRow[]]
  arrival: [ArrivalArgs, ArrivalDetail]
  compare: [CompareArgs, Compared]
  event_kinds: [Nothing, EventKinds]
  search: [SearchArgs, SearchAnswer]
  saved_filters: [Nothing, SavedFilters]
  chain: [ChainArgs, Chain]
  post: [PostArgs, PostView]
  attempt: [AttemptArgs, AttemptDetail]
  curl: [CurlArgs, Curl]
  event: [EventArgs, EventRow]
  timeline: [TimelineArgs, Timeline]
  timeline_map: [TimelineMapArgs, TimelineMap]
  posts: [PostsPageArgs, PostsPage]
  job: [JobArgs, JobDetail]
  forecast: [ForecastArgs, ForecastRow]
  preflight: [SubmitArgs, ForecastRow]
  account_zones: [Nothing, AccountZones]
  submit_many_preview: [ManyPreviewArgs, ManyPreview]
  accounts: [Nothing, Accounts]
  webhooks: [Nothing, Webhooks]
  bulks: [Nothing, Bulks]
  bulk: [BulkArgs, BulkDetail]
  bulk_rows: [BulkRowsArgs, BulkRows]
  looks: [Nothing, Looks]
  file_workspaces: [Nothing, FileWorkspaces]
  import_look: [ImportLookArgs, ImportLook]
  import_progress: [Nothing, ImportRun]
  imports: [Nothing, Imports]
  cases: [Nothing, Cases]
  contract_settings: [Nothing, ContractSettings]
  try_signature: [SignatureArgs, SignatureTrial]
  set_aside: [Nothing, SetAside]
  storage: [Nothing, Storage]
  habits: [Nothing, Habits]
  links: [PostArgs, LinkRow[]]
  workspaces: [Nothing, Workspaces]
  why: [WhyArgs, WhyAnswer]
  why_look: [WhyLookArgs, WhyLook]
  why_case: [WhyArgs, WhyCase]
  why_alike: [WhyArgs, WhyAlike]
  why_files: [WhyArgs, SavedFiles]
}

/** Calls that send, change or delete. */
export interface Acting {
  submit: [SubmitArgs, JobRow]
  submit_many: [ManySubmitArgs, ManySubmitted]
  ask_again: [AskAgainArgs, JobRow]
  post_again: [PostAgainArgs, JobRow]
  plan_bulk: [PlanBulkArgs, BulkDetail]
  fetch_bulk: [BulkArgs, BulkDetail]
  run_bulk: [RunBulkArgs, BulkDetail]
  pause_bulk: [BulkArgs, BulkDetail]
  stop_bulk: [BulkArgs, BulkDetail]
  cancel: [JobArgs, JobRow]
  fetch: [FetchArgs, FetchReport]
  note: [NoteArgs, Nothing]
  tie_workspace: [TieArgs, FileWorkspaces]
  test_webhook: [TestArgs, TestRun]
  import_start: [ImportStartArgs, ImportRun]
  import_cancel: [Nothing, ImportRun]
  open_case: [CaseArgs, Status]
  leave_case: [Nothing, Status]
  delete_case: [CaseArgs, Cases]
  save_workspace: [SaveWorkspaceArgs, Workspaces]
  use_workspace: [WorkspaceArgs, Workspaces]
  forget_workspace: [WorkspaceArgs, Workspaces]
  save_receiver: [SaveReceiverArgs, Status]
  save_signature: [SaveSignatureArgs, ContractSettings]
  check_set_aside: [Nothing, CheckedAgain]
  save_retention: [RetentionArgs, Storage]
  save_filter: [SaveFilterArgs, SavedFilters]
  delete_filter: [FilterArgs, SavedFilters]
  save_habits: [Habits, Habits]
  go_on: [Nothing, Status]
  start_practice: [Nothing, Status]
  leave_practice: [Nothing, Status]
  play_story: [Nothing, Status]
}

/** Every call: name to `[arguments, answer]`. */
export type Calls = Reading & Acting
/** The name of a call. */
export type CallName = keyof Calls
/** What a call takes. */
export type CallArgs<N extends CallName> = Calls[N][0]
/** What a call answers. */
export type CallAnswer<N extends CallName> = Calls[N][1]
