// The documents use these names without an import, and an app imports only NearbyMessages.

@_exported public import UIKitNames

@_exported public import struct EarshotMessages.BackgroundFlag
