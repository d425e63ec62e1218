// As `directory/permissions.ts` has them, with whose types the compiler compares these.

export interface CredentialPermissions {
  readonly devices: 'none' | 'read' | 'manage' | 'command'
  readonly spaces: 'none' | 'read' | 'manage'
  readonly people: 'none' | 'read' | 'manage'
  readonly audit: 'none' | 'read'
}

export type RequestedPermissions = {
  [Of in keyof CredentialPermissions]?: { level: CredentialPermissions[Of]; reason: string }
}
