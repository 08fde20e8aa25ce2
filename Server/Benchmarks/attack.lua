-- Reports 100 random tokens at a time, as one of the sessions in a file.
local sessions = {}
function init(arguments)
    for line in io.lines(arguments[1]) do sessions[#sessions + 1] = line end
    math.randomseed(7)
end

function request()
    local tokens = {}
    for index = 1, 100 do
        tokens[index] = string.format('"%08x%08x"', math.random(0, 0x7fffffff), math.random(0, 0x7fffffff))
    end
    local body = '{"heard":[' .. table.concat(tokens, ",") .. "]}"
    local session = sessions[math.random(#sessions)]
    return wrk.format("POST", "/v1/sightings", { Authorization = "Bearer " .. session }, body)
end
