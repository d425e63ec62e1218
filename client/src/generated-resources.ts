// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.
import { ApiClient, type CallOptions, type ChangeOptions, type CreateOptions, type List } from './api-client.ts'
import type { DeviceEvent } from './event-stream.ts'
import type {
  Aggregate,
  ApplicationChange,
  ApplicationInfo,
  ApplicationRequest,
  ApplicationRequestWithLogo,
  ApplicationWish,
  ApplicationWishChange,
  ChildSpace,
  ChosenDevices,
  ClaimableModel,
  Command,
  CommandBatch,
  CommandCounts,
  CommandReportAccepted,
  CommandsOfDevice,
  CreatedInvitation,
  CreatedModel,
  CreatedWebhook,
  DataDictionary,
  DeclaredCommands,
  Device,
  DeviceChange,
  DeviceChangeList,
  DeviceChangeResults,
  DeviceClaim,
  DeviceClaimList,
  DeviceClaimResults,
  DeviceCounts,
  DeviceRemovalResults,
  DeviceSettings,
  DeviceTag,
  DeviceTotal,
  DeviceTrendPoint,
  DeviceView,
  DeviceViewChange,
  DeviceWithNote,
  DeviceWithState,
  DictionarySuggestion,
  EndedSessions,
  FleetCommandReport,
  FleetCommands,
  FleetCount,
  Group,
  HardwareKey,
  HistoryMessage,
  IntegrationFailure,
  Invitation,
  ManySettingsChange,
  Model,
  ModelChange,
  ModelDocument,
  NewCommand,
  NewCommands,
  NewDeviceView,
  NewGroup,
  NewInvitation,
  NewModel,
  NewPartnerDomain,
  NewSettingTemplate,
  NewSpace,
  NewWebhook,
  NewWebhookSecret,
  OrganizationAuditEvent,
  OrganizationInfo,
  OwnLimits,
  OwnPermissions,
  PartnerAuditEvent,
  PartnerBranding,
  PartnerDevice,
  PartnerDeviceWithState,
  PartnerDomain,
  PartnerInfo,
  PartnerInvitation,
  PartnerMember,
  PartnerProgress,
  ReplaceWindow,
  RequestedChangeWithLogo,
  SecretRotationRequest,
  Series,
  SettingsChange,
  SettingsResults,
  SettingTemplate,
  SettingTemplateChange,
  Space,
  SpaceChange,
  SpaceDataPoint,
  SpaceImport,
  SpaceImportResult,
  SpaceMatch,
  SpacePath,
  SpaceSummary,
  StaticCertificate,
  StatusPeriod,
  Timelines,
  Uptime,
  User,
  UserChange,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookSecretRotation,
} from './generated-types.ts'

/** The operations of the organization API that an application may call. */
export abstract class OrganizationResources extends ApiClient {
  readonly info = {
    /**
     * Get this organization.
     *
     * The organization that the caller acts for, with the number of its users and groups, and of the spaces and
     * devices that the caller may see.
     */
    get: (options: CallOptions = {}): Promise<OrganizationInfo> =>
      this.call<OrganizationInfo>('GET', ['info'], options),
  }

  /**
   * Get your own permissions.
   *
   * What the caller may do in this organization, and in which spaces. An administrator can change it at any time:
   * it counts from the next request on.
   */
  readonly permissions = (options: CallOptions = {}): Promise<OwnPermissions> =>
    this.call<OwnPermissions>('GET', ['permissions'], options)

  readonly users = {
    /**
     * List the users of this organization.
     *
     * Returns 200 for every access token, regardless of who signed in: an empty list for one that was not approved
     * for `people: read`. To search or sort, 10,000 users may match at most. Needs the permission `people: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** A part of the name or the email address; one or two characters are the beginning of a word. */
        search?: string | undefined
        /** The order; with `-`, the other way round. By default the order in which the accounts were created. */
        sort?: 'name' | '-name' | 'email' | '-email' | 'role' | '-role' | 'created_at' | '-created_at' | undefined
      } = {},
      options: CallOptions = {},
    ): List<User> => this.list<User>(['users'], options, { query }),
    /**
     * Get a user.
     *
     * With their role and groups in this organization. Needs the permission `people: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<User> => this.call<User>('GET', ['users', id], options),
    /**
     * Change a user's role, groups, or whether they are active.
     *
     * Email, name and password belong to the person; an organization cannot change them. A token or an API key
     * changes members only: neither the administrator role, nor an administrator’s `active`, nor anything of the
     * person who approved it. Invitations and reset links that an administrator created become invalid when they
     * lose that role. Needs the permission `people: manage`.
     */
    update: (id: string, body: UserChange, options: ChangeOptions = {}): Promise<User> =>
      this.call<User>('PATCH', ['users', id], options, { body }),
    /**
     * Remove a user from this organization.
     *
     * The person keeps their account. Tokens that applications hold stay: they belong to the grant. From now on no
     * id_token or userinfo response names this organization for the person. A token or an API key removes members
     * only: no administrator, and not the person who approved it. Needs the permission `people: manage`.
     */
    delete: (id: string, options: ChangeOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['users', id], options),
    endSessions: {
      /**
       * Sign a user out everywhere.
       *
       * Ends the sessions of a person in every browser; open streams end within a second. The person can sign in
       * again: to keep them out, deactivate or remove them. Only for a person who belongs to this organization alone.
       * In the portal, an administrator who has not confirmed their identity in the last ten minutes gets
       * `proof_needed`. Needs the permission `people: manage`.
       */
      create: (id: string, options: CreateOptions = {}): Promise<EndedSessions> =>
        this.call<EndedSessions>('POST', ['users', id, 'end-sessions'], options),
    },
  }

  readonly invitations = {
    /**
     * Invite a person to this organization.
     *
     * The response is the same whether the email has an account or not. The person joins by opening the link. A
     * token or an API key invites members only and gets no link (`link` is null): it is mailed to the person, or an
     * administrator creates one in the portal and hands it over. An invitation becomes invalid when its creator
     * loses the right to invite: a removed or demoted administrator, a revoked key, grant or approval. Needs the
     * permission `people: manage`.
     */
    create: (body: NewInvitation, options: CreateOptions = {}): Promise<CreatedInvitation> =>
      this.call<CreatedInvitation>('POST', ['invitations'], options, { body }),
    /**
     * List pending invitations.
     *
     * Invitations that nobody has accepted yet, without their links. Needs the permission `people: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<Invitation> => this.list<Invitation>(['invitations'], options, { query }),
    /**
     * Withdraw an invitation.
     *
     * A token or an API key can withdraw invitations of members only. Needs the permission `people: manage`.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['invitations', id], options),
  }

  readonly groups = {
    /**
     * List the groups of this organization.
     *
     * Returns 200 for every access token, regardless of who signed in: an empty list for one that was not approved
     * for `people: read`. Needs the permission `people: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** A part of the name; one or two characters are the beginning of a word. */
        search?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<Group> => this.list<Group>(['groups'], options, { query }),
    /**
     * Create a group.
     *
     * It has no members yet. A group can decide who may connect an application. Needs the permission `people:
     * manage`.
     */
    create: (body: NewGroup, options: CreateOptions = {}): Promise<Group> =>
      this.call<Group>('POST', ['groups'], options, { body }),
    /**
     * Get a group.
     *
     * One group, without its members. Needs the permission `people: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<Group> => this.call<Group>('GET', ['groups', id], options),
    /**
     * Rename a group.
     *
     * The name is unique in the organization. Needs the permission `people: manage`.
     */
    update: (id: string, body: NewGroup, options: ChangeOptions = {}): Promise<Group> =>
      this.call<Group>('PATCH', ['groups', id], options, { body }),
    /**
     * Delete a group.
     *
     * Its users stay. A group that decides who may connect an application cannot be deleted. Needs the permission
     * `people: manage`.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['groups', id], options),
    members: {
      /**
       * List the users of a group.
       *
       * With their roles and all their groups. Needs the permission `people: read`.
       */
      list: (
        id: string,
        query: {
          /** Items per page. */
          limit?: number | undefined
        } = {},
        options: CallOptions = {},
      ): List<User> => this.list<User>(['groups', id, 'members'], options, { query }),
      /**
       * Add a user to a group.
       *
       * A token or an API key cannot do this to the person who approved it. Needs the permission `people: manage`.
       */
      add: (id: string, userId: string, options: CallOptions = {}): Promise<void> =>
        this.call<void>('PUT', ['groups', id, 'members', userId], options),
      /**
       * Remove a user from a group.
       *
       * A token or an API key cannot do this to the person who approved it. Needs the permission `people: manage`.
       */
      remove: (id: string, userId: string, options: CallOptions = {}): Promise<void> =>
        this.call<void>('DELETE', ['groups', id, 'members', userId], options),
    },
  }

  readonly spaces = {
    /**
     * List the spaces of this organization.
     *
     * The whole tree, or the direct children of one space. Needs the permission `spaces: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** Only its direct children; `root` for the top of the tree. */
        parent_id?: string | 'root' | undefined
      } = {},
      options: CallOptions = {},
    ): List<Space> => this.list<Space>(['spaces'], options, { query }),
    /**
     * Create a space.
     *
     * At the top of the tree, or below another space. Names are unique among the children of a space. Needs the
     * permission `spaces: manage`.
     */
    create: (body: NewSpace, options: CreateOptions = {}): Promise<Space> =>
      this.call<Space>('POST', ['spaces'], options, { body }),
    /**
     * Find a space by its path, and create what is missing.
     *
     * 201 when something was created, 200 when the whole path existed. Needs the permission `spaces: manage`.
     */
    findOrCreate: (body: SpacePath, options: CreateOptions = {}): Promise<Space> =>
      this.call<Space>('POST', ['spaces', 'find-or-create'], options, { body }),
    /**
     * Find or create many spaces by their paths.
     *
     * All of them or, when one is refused, none. Sending the same paths again creates nothing: a space of that name
     * is used, where upper and lower case make no difference. No space is moved, renamed or synced. Needs the
     * permission `spaces: manage`.
     */
    import: (body: SpaceImport, options: CreateOptions = {}): Promise<SpaceImportResult> =>
      this.call<SpaceImportResult>('POST', ['spaces', 'import'], options, { body }),
    /**
     * Find spaces by name.
     *
     * Every word must be in the name of the space or of one above it: `oslo ground` finds a floor in Oslo. Needs the
     * permission `spaces: read`.
     */
    search: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** Words of the name, in any order. The closest names come first, in one page. */
        search?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<SpaceMatch> => this.list<SpaceMatch>(['spaces', 'search'], options, { query }),
    /**
     * Get a space.
     *
     * One space, with the id of its parent. Needs the permission `spaces: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<Space> => this.call<Space>('GET', ['spaces', id], options),
    /**
     * Rename or move a space, or stop syncing it.
     *
     * A synced space cannot be moved to another parent, and neither can a space that has a synced one below it.
     * Another application cannot rename a synced space. Needs the permission `spaces: manage`.
     */
    update: (id: string, body: SpaceChange, options: ChangeOptions = {}): Promise<Space> =>
      this.call<Space>('PATCH', ['spaces', id], options, { body }),
    /**
     * Delete an empty space.
     *
     * Another application cannot delete a synced space. Needs the permission `spaces: manage`.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['spaces', id], options),
    /**
     * Get a space with what is below it.
     *
     * The spaces above it, and how many spaces and devices are in it and below it; `devices_directly` are in the
     * space itself. Needs the permission `devices: read`.
     */
    summary: (id: string, options: CallOptions = {}): Promise<SpaceSummary> =>
      this.call<SpaceSummary>('GET', ['spaces', id, 'summary'], options),
    /**
     * List the spaces inside a space with what is below them.
     *
     * Its direct children, each with the devices in it and below it. Needs the permission `spaces: read`.
     */
    children: (
      id: string,
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<ChildSpace> => this.list<ChildSpace>(['spaces', id, 'children'], options, { query }),
    /**
     * List the data points of the devices in a space.
     *
     * Numbers and booleans of the devices in it and below it; the states of 5,000 devices are read at most. Needs
     * the permission `devices: read`.
     */
    dataPoints: (id: string, options: CallOptions = {}): List<SpaceDataPoint> =>
      this.list<SpaceDataPoint>(['spaces', id, 'data-points'], options),
    /**
     * Read a data point over all devices in a space, reduced to fit a chart.
     *
     * In each interval, the last value of each device in the space and below it: the smallest, the largest, their
     * average and their sum. Booleans count as 0 and 1; texts are left out. Needs the permission `devices: read`.
     */
    series: (
      id: string,
      query: {
        /** The name of the data point. */
        key: string
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** Intervals that the range is cut into. With many devices there are fewer, down to 20. */
        buckets?: number | undefined
      },
      options: CallOptions = {},
    ): Promise<Aggregate> => this.call<Aggregate>('GET', ['spaces', id, 'series'], options, { query }),
  }

  readonly devices = {
    /**
     * List the devices of this organization.
     *
     * With filters, a page may be short and still have a `next`: continue from there. To sort by `last_seen_at` or
     * `status_at`, or to sort what a search found, 10,000 devices may match at most. Needs the permission `devices:
     * read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** In this space or any below it. */
        space_id?: string | undefined
        /** `true`: in no space. */
        no_space?: boolean | undefined
        /** The model of the device. */
        model_id?: string | undefined
        /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
        status?: string | string[] | undefined
        /** With this tag. */
        tag?: string | undefined
        /** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
        settings?: 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs' | undefined
        /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
        search?: string | undefined
        /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
        sort?:
          | 'registered_at'
          | '-registered_at'
          | 'name'
          | '-name'
          | 'status'
          | '-status'
          | 'status_at'
          | '-status_at'
          | 'last_seen_at'
          | '-last_seen_at'
          | 'model'
          | '-model'
          | 'space'
          | '-space'
          | 'mac'
          | '-mac'
          | 'sn'
          | '-sn'
          | undefined
      } = {},
      options: CallOptions = {},
    ): List<Device> => this.list<Device>(['devices'], options, { query }),
    /**
     * Count the devices that match.
     *
     * With the filters of the list. Counting stops early where many match. Needs the permission `devices: read`.
     */
    total: (
      query: {
        /** In this space or any below it. */
        space_id?: string | undefined
        /** `true`: in no space. */
        no_space?: boolean | undefined
        /** The model of the device. */
        model_id?: string | undefined
        /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
        status?: string | string[] | undefined
        /** With this tag. */
        tag?: string | undefined
        /** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
        settings?: 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs' | undefined
        /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
        search?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<DeviceTotal> => this.call<DeviceTotal>('GET', ['devices', 'total'], options, { query }),
    /**
     * Claim a device by its MAC, serial number and model.
     *
     * Every failure is the same `claim_failed`: unknown, already claimed, removed, no such space. Needs the
     * permission `devices: manage`.
     */
    claim: (body: DeviceClaim, options: CreateOptions = {}): Promise<Device> =>
      this.call<Device>('POST', ['devices', 'claim'], options, { body }),
    /**
     * Get a device with its state.
     *
     * The latest value of every data point, each with its instant. Needs the permission `devices: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<DeviceWithState> =>
      this.call<DeviceWithState>('GET', ['devices', id], options),
    /**
     * Change the name, the space, the tags or the note of a device.
     *
     * Null takes the name, the space or the note away. All of them are yours: the partner sees none. Needs the
     * permission `devices: manage`.
     */
    update: (id: string, body: DeviceChange, options: ChangeOptions = {}): Promise<DeviceWithNote> =>
      this.call<DeviceWithNote>('PATCH', ['devices', id], options, { body }),
    /**
     * Remove a device.
     *
     * Its credentials stop working at once. Its history is kept until retention ends. Needs the permission `devices:
     * manage`.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['devices', id], options),
    /**
     * Claim many devices.
     *
     * Up to 1,000 devices, with one result each. A line that fails does not undo the others.
     * | outcome | meaning |
     * |---|---|
     * | `claimed` | Claimed with this call. |
     * | `already_yours` | It was before, or an earlier line claimed it; its name and space stay. Sending a list
     * again is therefore safe. |
     * | `claim_failed` | The device cannot be claimed: unknown, another customer's, or removed. |
     * | `unknown_space` | You have no such space. |
     * | `invalid` | The line is not a claim; `details` names the fields. |
     * | `not_tried` | Too many lines have failed in this minute. Send it again after `retry_after_seconds`. |
     * Only lines with `claim_failed` count towards the limit of failed claims. Needs the permission `devices:
     * manage`.
     */
    claimList: (body: DeviceClaimList, options: CreateOptions = {}): Promise<DeviceClaimResults> =>
      this.call<DeviceClaimResults>('POST', ['devices', 'claim-list'], options, { body }),
    /**
     * Rename or move many devices.
     *
     * Up to 1,000 devices, with one result each. A line that fails does not undo the others.
     * | outcome | meaning |
     * |---|---|
     * | `changed` | The device has the new name or space. |
     * | `unchanged` | It had them before. Sending a list again is therefore safe. |
     * | `not_found` | You have no such device. |
     * | `unknown_space` | You have no such space. |
     * | `invalid` | The line is not a change; `details` names the fields. | Needs the permission `devices: manage`.
     */
    changeList: (body: DeviceChangeList, options: CreateOptions = {}): Promise<DeviceChangeResults> =>
      this.call<DeviceChangeResults>('POST', ['devices', 'change-list'], options, { body }),
    /**
     * Remove many devices.
     *
     * Up to 1,000 devices, with one result each. Their credentials stop working at once; their tags and notes are
     * deleted.
     * | outcome | meaning |
     * |---|---|
     * | `removed` | The device is removed. |
     * | `already_removed` | It was before. Sending a list again is therefore safe. |
     * | `not_found` | You have no such device. | Needs the permission `devices: manage`.
     */
    removeList: (body: ChosenDevices, options: CreateOptions = {}): Promise<DeviceRemovalResults> =>
      this.call<DeviceRemovalResults>('POST', ['devices', 'remove-list'], options, { body }),
    /**
     * Export devices as CSV.
     *
     * All that match, in one response that is written as it is read. A quote before it keeps spreadsheets from
     * running text that begins like a formula. The export is in the audit log. Needs the permission `devices: read`.
     */
    exportCsv: (
      query: {
        /** In this space or any below it. */
        space_id?: string | undefined
        /** `true`: in no space. */
        no_space?: boolean | undefined
        /** The model of the device. */
        model_id?: string | undefined
        /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
        status?: string | string[] | undefined
        /** With this tag. */
        tag?: string | undefined
        /** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
        settings?: 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs' | undefined
        /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
        search?: string | undefined
        /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
        sort?:
          | 'registered_at'
          | '-registered_at'
          | 'name'
          | '-name'
          | 'status'
          | '-status'
          | 'status_at'
          | '-status_at'
          | 'last_seen_at'
          | '-last_seen_at'
          | 'model'
          | '-model'
          | 'space'
          | '-space'
          | 'mac'
          | '-mac'
          | 'sn'
          | '-sn'
          | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['devices.csv'], options, { query }),
    /**
     * Export chosen devices as CSV.
     *
     * In the order of the call; devices that are not yours are left out. Needs the permission `devices: read`.
     */
    exportChosenCsv: (body: ChosenDevices, options: CreateOptions = {}): Promise<string> =>
      this.text('POST', ['devices.csv'], options, { body }),
    settings: {
      /**
       * Get the settings of a device.
       *
       * What is wanted, what the device reports, and in which state each setting is. Needs the permission `devices:
       * read`.
       */
      get: (id: string, options: CallOptions = {}): Promise<DeviceSettings> =>
        this.call<DeviceSettings>('GET', ['devices', id, 'settings'], options),
      /**
       * Change the settings of a device.
       *
       * The change is the next version of the document that the device gets as a whole. Data points that the model
       * does not declare as `settable` are refused, and so are values that its data dictionary does not allow. Needs
       * the permission `devices: command`.
       */
      update: (id: string, body: SettingsChange, options: CallOptions = {}): Promise<DeviceSettings> =>
        this.call<DeviceSettings>('PATCH', ['devices', id, 'settings'], options, { body }),
      /**
       * Change the settings of many devices.
       *
       * Up to 1,000 devices, each judged by its own model, with one result each. One that fails undoes no other;
       * sending the same again is safe. Needs the permission `devices: command`.
       */
      updateMany: (body: ManySettingsChange, options: CallOptions = {}): Promise<SettingsResults> =>
        this.call<SettingsResults>('PATCH', ['devices', 'settings'], options, { body }),
    },
    /**
     * Open a replace window.
     *
     * For an hour, the same MAC and serial number may register again. The device keeps its id and history. Needs the
     * permission `devices: manage`.
     */
    replace: (id: string, options: CreateOptions = {}): Promise<ReplaceWindow> =>
      this.call<ReplaceWindow>('POST', ['devices', id, 'replace'], options),
    /**
     * Read a device's messages.
     *
     * A customer sees messages that arrived since its own claim. Messages of a removed device can be read until
     * their retention ends. Needs the permission `devices: read`.
     */
    history: (
      id: string,
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
        keys?: string | string[] | undefined
        /** By `timestamp`. */
        order?: 'oldest_first' | 'newest_first' | undefined
      } = {},
      options: CallOptions = {},
    ): List<HistoryMessage> => this.list<HistoryMessage>(['devices', id, 'history'], options, { query }),
    /**
     * Read a device's messages as CSV.
     *
     * The whole range, oldest first, with one column per data point: the ones named, or all in the device’s state.
     * Needs the permission `devices: read`.
     */
    historyCsv: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
        keys?: string | string[] | undefined
        /** `labels`: columns have the labels and units of the model’s data dictionary, and its order. */
        headers?: 'keys' | 'labels' | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['devices', id, 'history.csv'], options, { query }),
    /**
     * Read a device's numbers, reduced to fit a chart.
     *
     * Minimum, maximum and average of each data point in each interval. Booleans count as 0 and 1; texts are left
     * out. Needs the permission `devices: read`.
     */
    series: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
        keys: string | string[]
        /** Intervals that the range is cut into. */
        buckets?: number | undefined
      },
      options: CallOptions = {},
    ): Promise<Series> => this.call<Series>('GET', ['devices', id, 'series'], options, { query }),
    /**
     * Read a device's values as periods.
     *
     * For values that are no numbers: the periods in which a data point had one value. Where nothing came for long,
     * there is none. Needs the permission `devices: read`.
     */
    timelines: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
        keys: string | string[]
        /** The most periods of a data point. */
        buckets?: number | undefined
      },
      options: CallOptions = {},
    ): Promise<Timelines> => this.call<Timelines>('GET', ['devices', id, 'timelines'], options, { query }),
    /**
     * Read a device's status history.
     *
     * Periods of one status, newest first. A customer sees them from its own claim on. They are kept as long as
     * messages. Needs the permission `devices: read`.
     */
    statusHistory: (
      id: string,
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<StatusPeriod> => this.list<StatusPeriod>(['devices', id, 'status-history'], options, { query }),
    /**
     * Read a device's uptime.
     *
     * How long it had each status in a range, and the share of the time in which it could be reached. Needs the
     * permission `devices: read`.
     */
    uptime: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<Uptime> => this.call<Uptime>('GET', ['devices', id, 'uptime'], options, { query }),
    /**
     * Stream state and status of devices.
     *
     * Server-sent events: `state` {device_id, status, last_seen_at, state} whenever a device sends a message,
     * `status` {device_id, status, status_at, reason} whenever its status changes, `removed` {device_id} when it is
     * no longer yours. Resume with `Last-Event-ID`; an event may come twice. The stream ends when its credential
     * does. Needs the permission `devices: read`.
     */
    stream: (
      query: {
        /** The device. */
        device_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): AsyncGenerator<DeviceEvent, void, undefined> =>
      this.stream<DeviceEvent>(['devices', 'stream'], options, { query }),
    commands: {
      /**
       * Send a command to a device.
       *
       * The model of the device declares its commands. The device gets them one at a time, in order. The response says
       * that the command waits, not that it was carried out: read it with `wait` to follow it. Needs the permission
       * `devices: command`.
       */
      create: (id: string, body: NewCommand, options: CreateOptions = {}): Promise<Command> =>
        this.call<Command>('POST', ['devices', id, 'commands'], options, { body }),
      /**
       * List the commands of a device.
       *
       * Newest first. Commands are kept for 90 days. Needs the permission `devices: read`.
       */
      list: (
        id: string,
        query: {
          /** Items per page. */
          limit?: number | undefined
        } = {},
        options: CallOptions = {},
      ): List<Command> => this.list<Command>(['devices', id, 'commands'], options, { query }),
      /**
       * Send a command to many devices.
       *
       * Up to 1,000 devices, with one result each, in the order of the call. A device that is refused does not keep
       * the others from it: `status` is then what a call for this device alone would have returned. Needs the
       * permission `devices: command`.
       */
      createMany: (body: NewCommands, options: CreateOptions = {}): Promise<CommandBatch> =>
        this.call<CommandBatch>('POST', ['devices', 'commands'], options, { body }),
      /**
       * Cancel a command.
       *
       * Only while it is queued: a command that the device already has is not canceled. Needs the permission `devices:
       * command`.
       */
      cancel: (id: string, commandId: string, options: CallOptions = {}): Promise<Command> =>
        this.call<Command>('DELETE', ['devices', id, 'commands', commandId], options),
      /**
       * Get a command.
       *
       * With `wait`, the response comes with the next change of the command, or after that many seconds; at once where
       * nothing changes any more. Needs the permission `devices: read`.
       */
      get: (
        id: string,
        commandId: string,
        query: {
          /** Seconds to wait for the next change. */
          wait?: number | undefined
        } = {},
        options: CallOptions = {},
      ): Promise<Command> => this.call<Command>('GET', ['devices', id, 'commands', commandId], options, { query }),
    },
    declaredCommands: {
      /**
       * List what a device can be asked to do.
       *
       * The commands that its model declares, and the data points that can be set. Needs the permission `devices:
       * read`.
       */
      list: (id: string, options: CallOptions = {}): Promise<CommandsOfDevice> =>
        this.call<CommandsOfDevice>('GET', ['devices', id, 'declared-commands'], options),
    },
    /**
     * Count the devices per status.
     *
     * Of all devices of this organization that the caller may see. Needs the permission `devices: read`.
     */
    count: (options: CallOptions = {}): Promise<DeviceCounts> =>
      this.call<DeviceCounts>('GET', ['devices', 'counts'], options),
    /**
     * Count the devices per status over the last day.
     *
     * Counted every quarter of an hour, for all devices of this organization; empty for a caller who sees some
     * spaces only. Needs the permission `devices: read`.
     */
    trend: (options: CallOptions = {}): List<DeviceTrendPoint> =>
      this.list<DeviceTrendPoint>(['devices', 'trend'], options),
    /**
     * List the devices that need attention.
     *
     * Those that are online with an alarm, then those with an error, those that are offline and those that were
     * never seen; of each the latest change first. Alarms are looked for in 10,000 devices of each model. Needs the
     * permission `devices: read`.
     */
    attention: (
      query: {
        /** Devices of each reason. */
        limit?: number | undefined
        /** In this space or any below it. */
        space_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<Device> => this.list<Device>(['devices', 'attention'], options, { query }),
  }

  readonly deviceTags = {
    /**
     * List the tags of this organization’s devices.
     *
     * In order. Only you see them: the partner does not. Needs the permission `devices: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<DeviceTag> => this.list<DeviceTag>(['device-tags'], options, { query }),
  }

  readonly deviceViews = {
    /**
     * List the saved views of the device list.
     *
     * Shared by everyone in the organization. A view of a space that the caller does not see is left out. Needs the
     * permission `devices: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<DeviceView> => this.list<DeviceView>(['device-views'], options, { query }),
    /**
     * Save a view of the device list.
     *
     * Under a name that no other view has. Needs the permission `devices: manage`.
     */
    create: (body: NewDeviceView, options: CreateOptions = {}): Promise<DeviceView> =>
      this.call<DeviceView>('POST', ['device-views'], options, { body }),
    /**
     * Get a saved view.
     *
     * With its filters, order and columns. Needs the permission `devices: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<DeviceView> =>
      this.call<DeviceView>('GET', ['device-views', id], options),
    /**
     * Rename or replace a saved view.
     *
     * A new query replaces the whole former one. Needs the permission `devices: manage`.
     */
    update: (id: string, body: DeviceViewChange, options: ChangeOptions = {}): Promise<DeviceView> =>
      this.call<DeviceView>('PATCH', ['device-views', id], options, { body }),
    /**
     * Delete a saved view.
     *
     * The devices stay. Needs the permission `devices: manage`.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['device-views', id], options),
  }

  readonly settingTemplates = {
    /**
     * List the templates of settings.
     *
     * Those that count everywhere, and those of spaces that the caller sees. Needs the permission `devices: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** The model of the device. */
        model_id?: string | undefined
        /** The space of the device; null for none. */
        space_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<SettingTemplate> => this.list<SettingTemplate>(['setting-templates'], options, { query }),
    /**
     * Create a template of settings.
     *
     * One per model and space. It changes no device: those that differ from it can be listed, and be given it. Needs
     * the permission `devices: command`.
     */
    create: (body: NewSettingTemplate, options: CreateOptions = {}): Promise<SettingTemplate> =>
      this.call<SettingTemplate>('POST', ['setting-templates'], options, { body }),
    /**
     * Get a template of settings.
     *
     * With the names of its model and space. Needs the permission `devices: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<SettingTemplate> =>
      this.call<SettingTemplate>('GET', ['setting-templates', id], options),
    /**
     * Change a template of settings.
     *
     * Devices keep what they were given. Needs the permission `devices: command`.
     */
    update: (id: string, body: SettingTemplateChange, options: ChangeOptions = {}): Promise<SettingTemplate> =>
      this.call<SettingTemplate>('PATCH', ['setting-templates', id], options, { body }),
    /**
     * Delete a template of settings.
     *
     * Devices keep what they were given. Needs the permission `devices: command`.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['setting-templates', id], options),
    /**
     * Apply a template to devices.
     *
     * Up to 1,000 devices, with one result each. Settings that a template of a nearer space decides about stay.
     * `not_covered`: the device is of another model, or outside the space of the template. Needs the permission
     * `devices: command`.
     */
    apply: (id: string, body: ChosenDevices, options: CreateOptions = {}): Promise<SettingsResults> =>
      this.call<SettingsResults>('POST', ['setting-templates', id, 'apply'], options, { body }),
  }

  readonly commands = {
    /**
     * List the commands of this organization.
     *
     * Newest first. For a caller who sees some spaces only, a page may be short and still have a `next`: continue
     * from there. Needs the permission `devices: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** One or more of queued, sent, in_progress, done, failed, rejected, expired, unknown, canceled, with commas between them; or the parameter repeated for each. */
        state?: string | string[] | undefined
        /** Of this call for many devices. */
        batch_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<Command> => this.list<Command>(['commands'], options, { query }),
    /**
     * Count the commands of a batch.
     *
     * How many are in each state, of those that one call for many devices has created. Needs the permission
     * `devices: read`.
     */
    count: (
      query: {
        /** Of a call for many devices. */
        batch_id: string
      },
      options: CallOptions = {},
    ): Promise<CommandCounts> => this.call<CommandCounts>('GET', ['commands', 'counts'], options, { query }),
  }

  readonly models = {
    /**
     * List the models whose devices can be claimed.
     *
     * Of all partners: an organization may claim devices of any of them. Needs the permission `devices: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** Words of the name, in any order. The closest names come first, in one page. */
        search?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<ClaimableModel> => this.list<ClaimableModel>(['models'], options, { query }),
    /**
     * Get a model whose devices can be claimed.
     *
     * Of any partner. Needs the permission `devices: read`.
     */
    get: (id: string, options: CallOptions = {}): Promise<ClaimableModel> =>
      this.call<ClaimableModel>('GET', ['models', id], options),
    dictionary: {
      /**
       * Get a model's data dictionary.
       *
       * What the data points of its devices mean, as its partner wrote it. Of models of which you have a device. Needs
       * the permission `devices: read`.
       */
      get: (id: string, options: CallOptions = {}): Promise<DataDictionary> =>
        this.call<DataDictionary>('GET', ['models', id, 'dictionary'], options),
    },
  }

  readonly limits = {
    /**
     * Get your rates and quotas, and how much of them is used.
     *
     * The operator sets them. `refused_at` says when a call was last refused because of one, in 30 days. Needs the
     * permission `audit: read`.
     */
    get: (options: CallOptions = {}): Promise<OwnLimits> => this.call<OwnLimits>('GET', ['limits'], options),
  }

  readonly auditEvents = {
    /**
     * List the audit events of this organization, newest first.
     *
     * Who did what, and when. No API can change them. Whoever sees some spaces only gets the events of what is there
     * now; a page may then be short and still have a `next`. Needs the permission `audit: read`.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** What kind it is. */
        type?: string | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The device. */
        device_id?: string | undefined
        /** Events at or after this instant. */
        since?: string | undefined
        /** Events before this instant. */
        until?: string | undefined
        /** The user, application, API key or device that acted. */
        actor_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<OrganizationAuditEvent> => this.list<OrganizationAuditEvent>(['audit-events'], options, { query }),
    /**
     * Export audit events as JSON lines, newest first.
     *
     * All that match, in one response that is written as it is read. Needs the permission `audit: read`.
     */
    exportJsonl: (
      query: {
        /** What kind it is. */
        type?: string | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The device. */
        device_id?: string | undefined
        /** Events at or after this instant. */
        since?: string | undefined
        /** Events before this instant. */
        until?: string | undefined
        /** The user, application, API key or device that acted. */
        actor_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['audit-events.jsonl'], options, { query }),
    /**
     * Export audit events as CSV, newest first.
     *
     * All that match, in one response that is written as it is read. Needs the permission `audit: read`.
     */
    exportCsv: (
      query: {
        /** What kind it is. */
        type?: string | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The device. */
        device_id?: string | undefined
        /** Events at or after this instant. */
        since?: string | undefined
        /** Events before this instant. */
        until?: string | undefined
        /** The user, application, API key or device that acted. */
        actor_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['audit-events.csv'], options, { query }),
  }
}

/** The operations of the partner API that an API key may call. */
export abstract class PartnerResources extends ApiClient {
  readonly info = {
    /**
     * Get this partner.
     *
     * The partner that the caller acts for.
     */
    get: (options: CallOptions = {}): Promise<PartnerInfo> => this.call<PartnerInfo>('GET', ['info'], options),
    /**
     * Change the name, accent colour and logo of this partner's pages.
     *
     * They are shown on the customer portal, on sign-in and on consent. A new name or logo waits for the operator
     * (`requested_change`), except in a lab; the colour changes at once.
     */
    update: (body: PartnerBranding, options: ChangeOptions = {}): Promise<PartnerInfo> =>
      this.call<PartnerInfo>('PATCH', ['info'], options, { body }),
  }

  readonly domain = {
    /**
     * Get this partner's domain.
     *
     * With the DNS record that proves it, and what the last check found.
     */
    get: (options: CallOptions = {}): Promise<PartnerDomain> => this.call<PartnerDomain>('GET', ['domain'], options),
    /**
     * Enter the domain of this partner.
     *
     * It takes the place of the one before, which is then no longer verified. The same one again changes nothing.
     */
    replace: (body: NewPartnerDomain, options: CallOptions = {}): Promise<PartnerDomain> =>
      this.call<PartnerDomain>('PUT', ['domain'], options, { body }),
    /**
     * Remove this partner's domain.
     *
     * Customers then see that no domain is verified.
     */
    delete: (options: CallOptions = {}): Promise<void> => this.call<void>('DELETE', ['domain'], options),
    /**
     * Look for the DNS record now.
     *
     * The service also looks every day. A verification ends when the record was missing for seven days, or could not
     * be looked up for thirty.
     */
    check: (options: CreateOptions = {}): Promise<PartnerDomain> =>
      this.call<PartnerDomain>('POST', ['domain', 'check'], options),
  }

  readonly presentationChanges = {
    /**
     * Get a requested change of what people see.
     *
     * With the wanted logo. Its id is in `requested_change` of this partner or of an application.
     */
    get: (id: string, options: CallOptions = {}): Promise<RequestedChangeWithLogo> =>
      this.call<RequestedChangeWithLogo>('GET', ['presentation-changes', id], options),
    /**
     * Withdraw a requested change of what people see.
     *
     * What people see stays as it is. A refused request is put away.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['presentation-changes', id], options),
  }

  readonly progress = {
    /**
     * Get how far the integration is.
     *
     * Each step is true when the service sees that it is done, whoever did it.
     */
    get: (options: CallOptions = {}): Promise<PartnerProgress> =>
      this.call<PartnerProgress>('GET', ['progress'], options),
  }

  readonly applications = {
    /**
     * List applications.
     *
     * The applications of this partner.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<ApplicationInfo> => this.list<ApplicationInfo>(['applications'], options, { query }),
    /**
     * Get an application.
     *
     * With its redirect URIs and its secrets by first characters.
     */
    get: (clientId: string, options: CallOptions = {}): Promise<ApplicationInfo> =>
      this.call<ApplicationInfo>('GET', ['applications', clientId], options),
    /**
     * Change an application's name, home page, logo, requested permissions or redirect URIs.
     *
     * Name, home page, logo and requested permissions are shown at consent: a change of them waits for the operator
     * (`requested_change`), except in a lab. A redirect URI that is no longer listed stops working at once.
     */
    update: (clientId: string, body: ApplicationChange, options: ChangeOptions = {}): Promise<ApplicationInfo> =>
      this.call<ApplicationInfo>('PATCH', ['applications', clientId], options, { body }),
    /**
     * Ask the operator to rotate an application's secret.
     *
     * The operator sees the request next to the application, and hands over the new secret.
     */
    requestSecretRotation: (
      clientId: string,
      body: SecretRotationRequest,
      options: CreateOptions = {},
    ): Promise<ApplicationInfo> =>
      this.call<ApplicationInfo>('POST', ['applications', clientId, 'secret-rotation'], options, { body }),
  }

  readonly applicationRequests = {
    /**
     * Ask for a new application.
     *
     * It waits for the operator, who registers it and hands over its secret. Once approved, the request is gone and
     * its id is the `client_id` of the application.
     */
    create: (body: ApplicationWish, options: CreateOptions = {}): Promise<ApplicationRequest> =>
      this.call<ApplicationRequest>('POST', ['application-requests'], options, { body }),
    /**
     * List the new applications that you asked for.
     *
     * Those that wait for the operator, and those that it refused.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<ApplicationRequest> => this.list<ApplicationRequest>(['application-requests'], options, { query }),
    /**
     * Get a request for a new application.
     *
     * With the wanted logo. 404 once it is approved: the application has the same id.
     */
    get: (id: string, options: CallOptions = {}): Promise<ApplicationRequestWithLogo> =>
      this.call<ApplicationRequestWithLogo>('GET', ['application-requests', id], options),
    /**
     * Change a request for a new application.
     *
     * One that was refused waits for the operator again.
     */
    update: (
      id: string,
      body: ApplicationWishChange,
      options: ChangeOptions = {},
    ): Promise<ApplicationRequestWithLogo> =>
      this.call<ApplicationRequestWithLogo>('PATCH', ['application-requests', id], options, { body }),
    /**
     * Withdraw a request for a new application.
     *
     * A refused request is put away.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['application-requests', id], options),
  }

  readonly models = {
    /**
     * List models.
     *
     * The device models of this partner.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** Words of the name, in any order. The closest names come first, in one page. */
        search?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<Model> => this.list<Model>(['models'], options, { query }),
    /**
     * Create a model.
     *
     * It is created with one hardware key.
     */
    create: (body: NewModel, options: CreateOptions = {}): Promise<CreatedModel> =>
      this.call<CreatedModel>('POST', ['models'], options, { body }),
    /**
     * Get a model.
     *
     * Its id is the `device_model` of a registration.
     */
    get: (id: string, options: CallOptions = {}): Promise<Model> => this.call<Model>('GET', ['models', id], options),
    /**
     * Change a model.
     *
     * A new `offline_after_seconds` is in force at once.
     */
    update: (id: string, body: ModelChange, options: ChangeOptions = {}): Promise<Model> =>
      this.call<Model>('PATCH', ['models', id], options, { body }),
    hardwareKeys: {
      /**
       * List a model's hardware keys, in order.
       *
       * The first that is not revoked is the one to hand to devices.
       */
      list: (id: string, options: CallOptions = {}): List<HardwareKey> =>
        this.list<HardwareKey>(['models', id, 'hardware-keys'], options),
      /**
       * Add a hardware key.
       *
       * For a new production batch, or before an old key is revoked.
       */
      create: (id: string, options: CreateOptions = {}): Promise<HardwareKey> =>
        this.call<HardwareKey>('POST', ['models', id, 'hardware-keys'], options),
      /**
       * Revoke a hardware key.
       *
       * Registered devices keep working. New registrations with this key are refused.
       */
      delete: (id: string, keyId: string, options: CallOptions = {}): Promise<void> =>
        this.call<void>('DELETE', ['models', id, 'hardware-keys', keyId], options),
    },
    dictionary: {
      /**
       * Get a model's data dictionary.
       *
       * What its data points mean, as it was last replaced; empty at first. The document can be sent back as it is.
       */
      get: (id: string, options: CallOptions = {}): Promise<DataDictionary> =>
        this.call<DataDictionary>('GET', ['models', id, 'dictionary'], options),
      /**
       * Replace a model's data dictionary.
       *
       * Customers see it at once. It never decides which telemetry is stored: unknown data points, values of another
       * type and values out of range are stored as before.
       */
      replace: (id: string, body: DataDictionary, options: ChangeOptions = {}): Promise<DataDictionary> =>
        this.call<DataDictionary>('PUT', ['models', id, 'dictionary'], options, { body }),
      suggestions: {
        /**
         * Suggest entries for a data dictionary.
         *
         * From the latest values of the 100 newest devices that have sent something: type, label and unit by the key,
         * decimals by the values. Nothing is changed.
         */
        list: (id: string, options: CallOptions = {}): List<DictionarySuggestion> =>
          this.list<DictionarySuggestion>(['models', id, 'dictionary', 'suggestions'], options),
      },
    },
    /**
     * Get the OpenAPI document of a model's telemetry.
     *
     * With the data points of its dictionary: type, unit, range and meaning.
     */
    openapi: (id: string, options: CallOptions = {}): Promise<ModelDocument> =>
      this.call<ModelDocument>('GET', ['models', id, 'openapi.json'], options),
    commands: {
      /**
       * Get a model's commands.
       *
       * What its devices can be asked to do, as it was last replaced; empty at first.
       */
      list: (id: string, options: CallOptions = {}): Promise<DeclaredCommands> =>
        this.call<DeclaredCommands>('GET', ['models', id, 'commands'], options),
      /**
       * Replace a model's commands.
       *
       * Customers see them at once, as buttons and forms. What is not declared is refused; commands that wait stay as
       * they are.
       */
      replace: (id: string, body: DeclaredCommands, options: ChangeOptions = {}): Promise<DeclaredCommands> =>
        this.call<DeclaredCommands>('PUT', ['models', id, 'commands'], options, { body }),
    },
  }

  readonly devices = {
    /**
     * List the devices of this partner's models.
     *
     * With filters, a page may be short and still have a `next`: continue from there. To sort by `last_seen_at` or
     * `status_at`, or to sort what a search found, 10,000 devices may match at most.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** The model of the device. */
        model_id?: string | undefined
        /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
        status?: string | string[] | undefined
        /** Whether a customer claimed the device. */
        claimed?: boolean | undefined
        /** Part of a MAC or a serial number. One or two characters match the beginning only. */
        search?: string | undefined
        /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
        sort?:
          | 'registered_at'
          | '-registered_at'
          | 'status'
          | '-status'
          | 'status_at'
          | '-status_at'
          | 'last_seen_at'
          | '-last_seen_at'
          | 'model'
          | '-model'
          | 'mac'
          | '-mac'
          | 'sn'
          | '-sn'
          | undefined
      } = {},
      options: CallOptions = {},
    ): List<PartnerDevice> => this.list<PartnerDevice>(['devices'], options, { query }),
    /**
     * Count the devices that match.
     *
     * With the filters of the list. Counting stops early where many match.
     */
    total: (
      query: {
        /** The model of the device. */
        model_id?: string | undefined
        /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
        status?: string | string[] | undefined
        /** Whether a customer claimed the device. */
        claimed?: boolean | undefined
        /** Part of a MAC or a serial number. One or two characters match the beginning only. */
        search?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<DeviceTotal> => this.call<DeviceTotal>('GET', ['devices', 'total'], options, { query }),
    /**
     * Get a device with its state.
     *
     * Whether it is claimed, but not by whom.
     */
    get: (id: string, options: CallOptions = {}): Promise<PartnerDeviceWithState> =>
      this.call<PartnerDeviceWithState>('GET', ['devices', id], options),
    /**
     * Remove a device.
     *
     * Its credentials stop working at once. Its history is kept until retention ends.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['devices', id], options),
    /**
     * Count the devices by model, firmware version and status.
     *
     * Counted now, or, with more than 10,000 devices, every ten minutes.
     */
    count: (options: CallOptions = {}): List<FleetCount> => this.list<FleetCount>(['devices', 'counts'], options),
    /**
     * Open a replace window.
     *
     * For an hour, the same MAC and serial number may register again. The device keeps its id and history.
     */
    replace: (id: string, options: CreateOptions = {}): Promise<ReplaceWindow> =>
      this.call<ReplaceWindow>('POST', ['devices', id, 'replace'], options),
    /**
     * Read a device's messages.
     *
     * A customer sees messages that arrived since its own claim. Messages of a removed device can be read until
     * their retention ends.
     */
    history: (
      id: string,
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
        keys?: string | string[] | undefined
        /** By `timestamp`. */
        order?: 'oldest_first' | 'newest_first' | undefined
      } = {},
      options: CallOptions = {},
    ): List<HistoryMessage> => this.list<HistoryMessage>(['devices', id, 'history'], options, { query }),
    /**
     * Read a device's messages as CSV.
     *
     * The whole range, oldest first, with one column per data point: the ones named, or all in the device’s state.
     */
    historyCsv: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
        keys?: string | string[] | undefined
        /** `labels`: columns have the labels and units of the model’s data dictionary, and its order. */
        headers?: 'keys' | 'labels' | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['devices', id, 'history.csv'], options, { query }),
    /**
     * Read a device's numbers, reduced to fit a chart.
     *
     * Minimum, maximum and average of each data point in each interval. Booleans count as 0 and 1; texts are left
     * out.
     */
    series: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
        keys: string | string[]
        /** Intervals that the range is cut into. */
        buckets?: number | undefined
      },
      options: CallOptions = {},
    ): Promise<Series> => this.call<Series>('GET', ['devices', id, 'series'], options, { query }),
    /**
     * Read a device's values as periods.
     *
     * For values that are no numbers: the periods in which a data point had one value. Where nothing came for long,
     * there is none.
     */
    timelines: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
        /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
        keys: string | string[]
        /** The most periods of a data point. */
        buckets?: number | undefined
      },
      options: CallOptions = {},
    ): Promise<Timelines> => this.call<Timelines>('GET', ['devices', id, 'timelines'], options, { query }),
    /**
     * Read a device's status history.
     *
     * Periods of one status, newest first. A customer sees them from its own claim on. They are kept as long as
     * messages.
     */
    statusHistory: (
      id: string,
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<StatusPeriod> => this.list<StatusPeriod>(['devices', id, 'status-history'], options, { query }),
    /**
     * Read a device's uptime.
     *
     * How long it had each status in a range, and the share of the time in which it could be reached.
     */
    uptime: (
      id: string,
      query: {
        /** By default a day before `to`. */
        from?: string | undefined
        /** By default now. */
        to?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<Uptime> => this.call<Uptime>('GET', ['devices', id, 'uptime'], options, { query }),
  }

  readonly staticCertificate = {
    /**
     * Get the certificate that devices pin at hub_url_static_cert.
     *
     * The same for as long as this service lives. Build it into the firmware of devices that cannot check public
     * certificates.
     */
    get: (options: CallOptions = {}): Promise<StaticCertificate> =>
      this.call<StaticCertificate>('GET', ['static-certificate'], options),
  }

  readonly commands = {
    /**
     * Get the commands of the fleet.
     *
     * For a cloud that speaks for its devices: the first command of each device that has one. With `wait` the
     * response comes as soon as there is a command, or after so many seconds. What the next poll does not confirm
     * with `after` is handed out again after a minute; carry out each id once. A device that asks for its commands
     * itself gets them instead.
     */
    list: (
      query: {
        /** Seconds. */
        wait?: number | undefined
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<FleetCommands> => this.call<FleetCommands>('GET', ['commands'], options, { query }),
    /**
     * Report what became of a command.
     *
     * For a device of this partner’s models. The first final report counts; the same again is accepted, another is
     * refused.
     */
    report: (id: string, body: FleetCommandReport, options: CreateOptions = {}): Promise<CommandReportAccepted> =>
      this.call<CommandReportAccepted>('POST', ['commands', id], options, { body }),
  }

  readonly integrationLog = {
    /**
     * List the latest failures of applications and models, newest first.
     *
     * The newest 100 of each application or model and reason, for 14 days.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The model of the device. */
        model_id?: string | undefined
        /** The endpoint that refused, such as `token` or `telemetry`. */
        endpoint?: string | undefined
        /** What happened: a sentence for people, or at OAuth endpoints a code. */
        error?: string | undefined
        /** Why the request was refused, as a code. */
        reason?: string | undefined
        /** The `X-Request-Id` of the response. */
        request_id?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<IntegrationFailure> => this.list<IntegrationFailure>(['integration-log'], options, { query }),
  }

  readonly webhooks = {
    /**
     * List webhooks.
     *
     * The webhooks of this partner, without their secrets.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<Webhook> => this.list<Webhook>(['webhooks'], options, { query }),
    /**
     * Add a webhook.
     *
     * Deliveries are signed as in Standard Webhooks, and retried for a day until the response is 2xx.
     */
    create: (body: NewWebhook, options: CreateOptions = {}): Promise<CreatedWebhook> =>
      this.call<CreatedWebhook>('POST', ['webhooks'], options, { body }),
    /**
     * Get a webhook.
     *
     * Its settings, and since when it fails if it does.
     */
    get: (id: string, options: CallOptions = {}): Promise<Webhook> =>
      this.call<Webhook>('GET', ['webhooks', id], options),
    /**
     * Change, disable or enable a webhook.
     *
     * Disabling drops pending deliveries. They can be redelivered once the webhook is enabled again.
     */
    update: (id: string, body: WebhookChange, options: ChangeOptions = {}): Promise<Webhook> =>
      this.call<Webhook>('PATCH', ['webhooks', id], options, { body }),
    /**
     * Delete a webhook and its delivery log.
     *
     * Deliveries that wait are dropped.
     */
    delete: (id: string, options: CallOptions = {}): Promise<void> =>
      this.call<void>('DELETE', ['webhooks', id], options),
    /**
     * Rotate a webhook's secret.
     *
     * Both secrets sign every delivery during the overlap.
     */
    rotateSecret: (id: string, body?: WebhookSecretRotation, options: CreateOptions = {}): Promise<NewWebhookSecret> =>
      this.call<NewWebhookSecret>('POST', ['webhooks', id, 'secret'], options, { body }),
    deliveries: {
      /**
       * List deliveries, newest first.
       *
       * Kept for 14 days.
       */
      list: (
        id: string,
        query: {
          /** Items per page. */
          limit?: number | undefined
          /** The state it is in. */
          state?: 'pending' | 'delivered' | 'failed' | undefined
        } = {},
        options: CallOptions = {},
      ): List<WebhookDelivery> => this.list<WebhookDelivery>(['webhooks', id, 'deliveries'], options, { query }),
      /**
       * Redeliver an event.
       *
       * Sent at once, with a new series of attempts, whatever happened to it or to other deliveries before.
       */
      redeliver: (id: string, eventId: string, options: CreateOptions = {}): Promise<WebhookDelivery> =>
        this.call<WebhookDelivery>('POST', ['webhooks', id, 'deliveries', eventId, 'redeliver'], options),
    },
    /**
     * Send a test event.
     *
     * A `webhook.test` is sent at once, whatever failed before. The delivery log shows the outcome.
     */
    test: (id: string, options: CreateOptions = {}): Promise<WebhookDelivery> =>
      this.call<WebhookDelivery>('POST', ['webhooks', id, 'test'], options),
  }

  readonly members = {
    /**
     * List the members of this partner.
     *
     * The people who work for this partner.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<PartnerMember> => this.list<PartnerMember>(['members'], options, { query }),
    /**
     * Get a member of this partner.
     *
     * One of the people who work for this partner.
     */
    get: (id: string, options: CallOptions = {}): Promise<PartnerMember> =>
      this.call<PartnerMember>('GET', ['members', id], options),
  }

  readonly invitations = {
    /**
     * List pending invitations.
     *
     * Invitations that nobody has accepted yet.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
      } = {},
      options: CallOptions = {},
    ): List<PartnerInvitation> => this.list<PartnerInvitation>(['invitations'], options, { query }),
  }

  readonly limits = {
    /**
     * Get your rates and quotas, and how much of them is used.
     *
     * The operator sets them. `refused_at` says when a call was last refused because of one, in 30 days.
     */
    get: (options: CallOptions = {}): Promise<OwnLimits> => this.call<OwnLimits>('GET', ['limits'], options),
  }

  readonly auditEvents = {
    /**
     * List the audit events of this partner, newest first.
     *
     * Events at a customer are included as far as they concern this partner, without who caused them.
     */
    list: (
      query: {
        /** Items per page. */
        limit?: number | undefined
        /** What kind it is. */
        type?: string | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The device. */
        device_id?: string | undefined
        /** Events at or after this instant. */
        since?: string | undefined
        /** Events before this instant. */
        until?: string | undefined
      } = {},
      options: CallOptions = {},
    ): List<PartnerAuditEvent> => this.list<PartnerAuditEvent>(['audit-events'], options, { query }),
    /**
     * Export audit events as JSON lines, newest first.
     *
     * All that match, in one response that is written as it is read.
     */
    exportJsonl: (
      query: {
        /** What kind it is. */
        type?: string | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The device. */
        device_id?: string | undefined
        /** Events at or after this instant. */
        since?: string | undefined
        /** Events before this instant. */
        until?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['audit-events.jsonl'], options, { query }),
    /**
     * Export audit events as CSV, newest first.
     *
     * All that match, in one response that is written as it is read.
     */
    exportCsv: (
      query: {
        /** What kind it is. */
        type?: string | undefined
        /** The `client_id` of the application. */
        application_id?: string | undefined
        /** The device. */
        device_id?: string | undefined
        /** Events at or after this instant. */
        since?: string | undefined
        /** Events before this instant. */
        until?: string | undefined
      } = {},
      options: CallOptions = {},
    ): Promise<string> => this.text('GET', ['audit-events.csv'], options, { query }),
  }
}
