// Its own file, so that it becomes one: the store of the same package is part of the main file.
export { Notifications } from '@mantine/notifications'
